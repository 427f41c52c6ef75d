 and  Sat Nov 21 22:13:42 UTC 2026
