"""The targets beside Modelgate that need no installation of their own: none at all, nginx, HAProxy."""

from dataclasses import dataclass, field

from processes import free_port
from programs import find

UPSTREAM_KEY = "sk-upstream"
TOKEN = "sk-bench-0123456789abcdef"


@dataclass
class Target:
    """Something that takes calls and forwards them to the mock."""

    name: str
    port: int
    command: list
    environment: dict = field(default_factory=dict)
    # Whether it passes paths on, so that the switches of the mock can stand in them.
    is_transparent: bool = False
    converts: bool = False
    start_seconds: int = 30
    tokens_file: str = ""
    process: object = None

    def url(self, workload):
        switches = workload.switches if self.is_transparent else ""
        return f"http://127.0.0.1:{self.port}{switches}{workload.path}"

    def headers(self, workload):
        """What a call needs beside its body, as (name, value)."""
        wanted = {} if self.tokens_file else {"authorization": f"Bearer {TOKEN}"}
        if workload.converts:
            wanted["anthropic-version"] = "2023-06-01"
        return wanted

    def takes(self, workload):
        return self.converts or not workload.converts


def direct(mock_port):
    """The mock itself: what a call costs without a gateway. It speaks both formats."""
    return Target("direct", mock_port, [], is_transparent=True, converts=True)


NGINX = """worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.err warn;
events {{ worker_connections 16384; }}
http {{
  access_log off; tcp_nodelay on; keepalive_requests 100000000; keepalive_timeout 300s;
  client_body_buffer_size 1m; client_max_body_size 64m;
  client_body_temp_path {folder}/nginx-body; proxy_temp_path {folder}/nginx-proxy;
  fastcgi_temp_path {folder}/nginx-fastcgi; uwsgi_temp_path {folder}/nginx-uwsgi;
  scgi_temp_path {folder}/nginx-scgi;
  upstream mock {{
    server 127.0.0.1:{mock}; keepalive 512; keepalive_requests 100000000; keepalive_timeout 300s;
  }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{
      proxy_pass http://mock; proxy_http_version 1.1; proxy_buffering off;
      proxy_set_header Connection ""; proxy_set_header Authorization "Bearer {key}";
    }}
  }}
}}
"""

HAPROXY = """global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout connect 5s
  timeout client 300s
  timeout server 300s
  option http-keep-alive
  option http-no-delay
  http-reuse always
frontend calls
  bind 127.0.0.1:{port} backlog 4096
  default_backend mock
backend mock
  http-request set-header authorization "Bearer {key}"
  server mock 127.0.0.1:{mock} pool-max-conn 1024
"""


def write(folder, name, template, port, mock_port):
    path = folder / name
    path.write_text(template.format(folder=folder, port=port, mock=mock_port, key=UPSTREAM_KEY))
    return path


def nginx(folder, mock_port):
    port = free_port()
    config = write(folder, "nginx.conf", NGINX, port, mock_port)
    return Target("nginx", port, [find("nginx"), "-c", config], is_transparent=True)


def haproxy(folder, mock_port):
    port = free_port()
    config = write(folder, "haproxy.cfg", HAPROXY, port, mock_port)
    return Target("haproxy", port, [find("haproxy"), "-db", "-f", config], is_transparent=True)


def proxies(folder, mock_port):
    """Those of the two that are installed; a line for each that is not."""
    for name, make in [("nginx", nginx), ("haproxy", haproxy)]:
        if find(name):
            yield make(folder, mock_port)
        else:
            print(f"{name} is not installed: apt-get install {name} (and stop its service)")
