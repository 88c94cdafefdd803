package main

import (
	"io"
	"net/http"
	"net/http/httptest"
)

// secured is the app over TLS, with a client that speaks HTTP/2 and keeps its one connection, so that each request is
// judged on a connection that an earlier one opened.
func (l *lawApp) secured() *httptest.Server {
	l.once.Do(func() {
		l.tls = httptest.NewUnstartedServer(l.app.server.Handler())
		l.tls.EnableHTTP2 = true
		l.tls.StartTLS()
		l.t.Cleanup(l.tls.Close)
	})
	return l.tls
}

func (l *lawApp) fetchHTTP2(req *http.Request) (code int, header http.Header, body []byte, err error) {
	resp, err := l.secured().Client().Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer resp.Body.Close()
	if resp.ProtoMajor != 2 {
		l.t.Errorf("%s was spoken", resp.Proto)
	}
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header, body, err
}

func http2Call(l *lawApp, c lawClient, tool, arguments string) string {
	return l.postBy(l.fetchHTTP2, l.secured().URL, c, "/mcp", "2025-06-18", "tools/call", tool, lawCall("2025-06-18", "", tool, arguments))
}

func http2List(l *lawApp, c lawClient) []string {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + lawMeta("2025-06-18", "") + `}}`
	return listedNames(l.t, l.postBy(l.fetchHTTP2, l.secured().URL, c, "/mcp", "2025-06-18", "tools/list", "", body))
}
