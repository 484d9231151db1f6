begin
    plimsoll_slob.operate_{number}(%s, %s, %s);
end;
/
