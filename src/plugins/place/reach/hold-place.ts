// What a container or pod runs besides the session itself: it holds the place open while there is a host in it. The engine
// speaks to this program alone, so a request to end is passed on to the host, which saves the work first.

/** `seconds`: a place without a host for so long ends by itself, because its creator died. */
export function holdPlace(seconds: number): string {
  return `hosts() {
  for f in "\${HOME:-/tmp}"/.ao-place/s/*/host.id /tmp/.ao-place*/s/*/host.id; do
    [ -s "$f" ] && read -r h <"$f" && echo "\${h%%:*}"
  done
}
alive() { for p in $(hosts); do kill -0 "$p" 2>/dev/null && return 0; done; return 1; }
finish() {
  trap '' TERM
  for p in $(hosts); do kill -TERM "$p" 2>/dev/null; done
  while alive; do sleep 0.1 2>/dev/null || sleep 1; done
  exit 0
}
trap finish TERM
miss=0
while [ $miss -lt ${Math.ceil(seconds / 5)} ]; do
  if [ -n "$(hosts)" ]; then miss=0; else miss=$((miss+1)); fi
  sleep 5 & wait $!
done`
}
