-- What the clock says.
select slowlight_now()
