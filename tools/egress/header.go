package egress

import (
	"net/http"
	"strconv"
	"strings"
)

// badHeader is the quoted name of a header that cannot be sent (RFC 9110, 5.5 and 5.6.2); "" when there is none.
func badHeader(h http.Header) string {
	for name, values := range h {
		if name == "" || strings.ContainsFunc(name, notInToken) {
			return strconv.Quote(name[:min(len(name), 100)])
		}
		for _, v := range values {
			if strings.ContainsFunc(v, control) {
				return strconv.Quote(name)
			}
		}
	}
	return ""
}

func notInToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune("\"(),/:;<=>?@[\\]{}", r)
}

func control(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
