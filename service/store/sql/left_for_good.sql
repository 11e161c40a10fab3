-- Who was forgotten so long ago that no process believes their tokens any more.
select player_id from leaving where since < slowlight_now() - %(age)s order by since limit %(most)s
