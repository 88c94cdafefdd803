package server

import "time"

// stamp writes times as RFC 3339 in UTC, with milliseconds. Records come many a second, so that it keeps
// the text of the last one.
type stamp struct {
	second int64 // since 1970
	text   []byte
}

func (s *stamp) append(dst []byte, at time.Time) []byte {
	if second := at.Unix(); s.text == nil || second != s.second {
		s.second, s.text = second, at.UTC().AppendFormat(s.text[:0], "2006-01-02T15:04:05.")
	}
	dst = append(dst, s.text...)
	return append(appendThousandths(dst, at.Nanosecond()/int(time.Millisecond)), 'Z')
}

// appendThousandths appends three digits.
func appendThousandths(dst []byte, n int) []byte {
	return append(dst, byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10))
}
