#!/bin/sh
# An ACP agent that is there and takes prompts without doing anything.
while IFS= read -r line; do
  id=${line#*\"id\":}
  id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) answer='"protocolVersion":1,"agentCapabilities":{}' ;;
    *'"method":"session/new"'*) answer='"sessionId":"idle"' ;;
    *'"method":"session/prompt"'*) answer='"stopReason":"end_turn"' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":{%s}}\n' "$id" "$answer"
done
