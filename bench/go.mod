module prax/bench

go 1.26.0
