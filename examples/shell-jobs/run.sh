#!/bin/sh
# Commands as jobs: enqueue some, run them with a worker, show the results.
# `queuectl` must be on the PATH; in this repository alias it to `node dist/server/cli/main.js` after `npm run build`.
set -eu
export DB_PATH="${DB_PATH:-./data/shell-jobs.db}"

queuectl init
queuectl enqueue --command 'echo "hello from $(uname -s)"' --dedupe-key hello
queuectl enqueue '{"command":"echo oops >&2; exit 3","max_retries":0}' >/dev/null
printf '%s\n' '{"command":"echo one"}' '{"command":"echo two"}' | queuectl enqueue --file -

queuectl worker start --count 1 &
worker=$!
while [ "$(queuectl list --state pending | wc -l)" -gt 0 ] || [ "$(queuectl list --state processing | wc -l)" -gt 0 ]; do
  sleep 0.2
done
kill -TERM "$worker"
wait "$worker"

queuectl logs hello
queuectl dlq list
queuectl stats
