# prax alone in an image: no shell, no user but its own. Everything that it keeps is in the directory /data, a volume,
# with clients.json, config.env and the definitions beside the database: mount a directory, not single files, since an
# editor replaces a file and the container would keep the old one.
#
#   docker build --build-arg VERSION=$(git describe --tags --always) --build-arg COMMIT=$(git rev-parse HEAD) -t prax .
#   docker run -d -v prax:/data -p 127.0.0.1:8808:8808 -e MCP_SERVER_ENABLED=true -e PRAX_INSECURE_BIND=true prax
#   docker exec CONTAINER prax client add research --user u_research
#
# In a container it listens on all addresses, so that it starts only with TLS (PRAX_TLS_CERT, PRAX_TLS_KEY) or with the
# word that the network is safe: PRAX_INSECURE_BIND=true is right where the port is published to 127.0.0.1, or reached
# by a proxy alone.
FROM golang:1.26 AS build
ARG VERSION=
ARG COMMIT=
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.version=$VERSION -X main.commit=$COMMIT" -o /out/prax ./cmd/prax
RUN install -d -m 0700 /out/data

FROM scratch
# For requests of workflows to public addresses.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/prax /bin/prax
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
WORKDIR /data
VOLUME ["/data"]
ENV PATH=/bin HOME=/data PRAX_ADDR=0.0.0.0:8808
EXPOSE 8808
HEALTHCHECK --interval=30s --timeout=6s --start-period=30s CMD ["/bin/prax", "health"]
ENTRYPOINT ["/bin/prax"]
CMD ["serve"]
