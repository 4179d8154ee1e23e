// The configuration of our own tmux server, which never reads the user's ~/.tmux.conf.
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '../../lib/atomic-write.ts'
import { readIfThere } from '../../lib/plain-file.ts'

/** -q: an option that this tmux does not know yet is skipped. */
const CONFIG = `# Written by ao for its own tmux server (tmux -L ao). Changes are overwritten.
set -sq exit-empty off
set -sq escape-time 0
set -sq extended-keys on
set -sq set-clipboard external
set -gq default-terminal "${process.platform === 'darwin' ? 'screen-256color' : 'tmux-256color'}"
set -asq terminal-features ",*:RGB"
set -gq update-environment ""
set -gq remain-on-exit on
set -gq window-size latest
set -gq history-limit 10000
set -gq mouse on
set -gq focus-events on
# What an agent prints must not reach the user's terminal around tmux.
set -gq allow-passthrough off
set -gq allow-rename off
set -gq automatic-rename off
set -gq detach-on-destroy on
set -gq status on
set -gq status-interval 0
set -gq status-style "bg=colour236,fg=colour250"
set -gq status-left " #{@ao_session} "
set -gq status-left-length 60
set -gq status-right " leave: #{prefix} d "
set -gq window-status-format ""
set -gq window-status-current-format ""
`

export function writeServerConfig(file: string): void {
  if (isCurrent(file)) return
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileAtomic(file, CONFIG, { durable: false })
}

function isCurrent(file: string): boolean {
  return readIfThere(file) === CONFIG
}
