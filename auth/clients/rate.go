package clients

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"prax/auth"
)

// rate takes how much the client may ask for. What cannot be read as it was meant refuses the entry, which would be wider
// than its writer believes.
func (r *reader) rate(e *entry, v value) {
	rate, known := r.rates[string(v.Value)]
	if !known {
		var f *failure
		if rate, f = readRate(v); f != nil {
			r.refuse(e, v.at, f.code, "%s", f.text)
			return
		}
		if len(v.Value) <= remembered {
			r.rates[string(v.Value)] = rate
		}
	}
	e.rate = rate
	e.row.flags |= rated
}

func readRate(v value) (auth.Rate, *failure) {
	var rate auth.Rate
	if v.Kind() != '{' {
		return rate, badRate(WrongType, `rate is not an object, as {"per_second": 5, "burst": 20, "in_flight": 8}`)
	}
	dec := jsontext.NewDecoder(bytes.NewReader(v.Value)) // which refuses a member that stands twice
	_, _ = dec.ReadToken()
	for dec.PeekKind() == '"' {
		key, err := dec.ReadValue()
		if err != nil {
			return rate, badRate(DuplicateMember, "rate has a member twice, or one whose name is no text")
		}
		name, _ := text(value{key, v.at})
		number, err := dec.ReadValue()
		if err != nil {
			return rate, badRate(WrongType, "%s of rate cannot be read", shown(name))
		}
		if f := readRateMember(&rate, name, number); f != nil {
			return rate, f
		}
	}
	return settleRate(rate)
}

func readRateMember(rate *auth.Rate, name string, v jsontext.Value) *failure {
	switch name {
	case "per_second":
		n, err := strconv.ParseFloat(string(v), 64)
		if rate.PerSecond = n; err == nil && auth.LeastPerSecond <= n && n <= auth.MostPerSecond {
			return nil
		}
	case "burst":
		if rate.Burst = readCount(v, auth.MostBurst); rate.Burst > 0 {
			return nil
		}
	case "in_flight":
		if rate.InFlight = readCount(v, auth.MostInFlight); rate.InFlight > 0 {
			return nil
		}
	default:
		return badRate(MistakenMember, "unknown member %s of rate: it has per_second, burst and in_flight", shown(name))
	}
	switch {
	case v.Kind() != '0':
		return badRate(WrongType, "%s of rate is not a number", name)
	case name == "per_second":
		return badRate(BadRate, "per_second of rate is not from %v to %d; disabled is what shuts a client out", auth.LeastPerSecond, auth.MostPerSecond)
	}
	return badRate(BadRate, "%s of rate is not a whole number from 1 to %d", name, auth.MostBurst)
}

// readCount is a whole number above zero that is written as one; 0 is none.
func readCount(v jsontext.Value, most int) int {
	n, err := strconv.Atoi(string(v))
	if err != nil || n < 1 || n > most {
		return 0
	}
	return n
}

func settleRate(rate auth.Rate) (auth.Rate, *failure) {
	switch {
	case rate == auth.Rate{}:
		return rate, badRate(BadRate, "rate says nothing: it has per_second, burst and in_flight")
	case rate.Burst > 0 && rate.PerSecond == 0:
		return rate, badRate(BadRate, "rate has a burst and no per_second: when more may come is in doubt")
	case rate.PerSecond > 0 && rate.Burst == 0:
		rate.Burst = auth.UsualBurst(rate.PerSecond)
	}
	return rate, nil
}

func badRate(code Code, format string, args ...any) *failure {
	return &failure{code: code, text: fmt.Sprintf(format, args...)}
}
