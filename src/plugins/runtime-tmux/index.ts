// The tmux runtime as a plugin: its options and whether tmux is here.
import { AoError } from '../../contract/errors.ts'
import { isSafeName } from '../../contract/ids.ts'
import { exec, execFailure } from '../../lib/exec.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createTmuxRuntime, type TmuxOptions } from './tmux-runtime.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'runtime',
    name: 'tmux',
    description: 'Runs each agent in a tmux session on a server of its own',
    version: '1.0.0',
  },
  create: (options, context) => createTmuxRuntime(readOptions(options), context),
  async detect({ env }) {
    const result = await exec('tmux', ['-V'], { env, timeoutMs: 2_000 })
    const fix = 'Install tmux 3.0 or newer, or use: runtime: process'
    if (!result.ok) return { ok: false, detail: execFailure('tmux', result), fix }
    const version = result.stdout.trim()
    return isNewEnough(version) ? { ok: true, detail: version } : { ok: false, detail: `${version} is too old`, fix }
  },
})

function readOptions({ socket = 'ao', graceMs = 3_000, ...unknown }: Record<string, unknown>): TmuxOptions {
  const [stray] = Object.keys(unknown)
  if (stray !== undefined) throw invalid(`${stray} is unknown; there are socket and graceMs`)
  if (typeof socket !== 'string' || !isSafeName(socket)) throw invalid('socket may hold letters, digits, - and _ only')
  if (typeof graceMs !== 'number' || !(graceMs >= 0)) throw invalid('graceMs must be a number of milliseconds')
  return { socket, graceMs }
}

function invalid(why: string): AoError {
  return new AoError('CONFIG_INVALID', `Options of the tmux runtime: ${why}`)
}

/** `tmux 3.3a`, `tmux next-3.5`, `tmux openbsd-7.4`, `tmux master`: what has no number is built from a recent source. */
export function isNewEnough(version: string): boolean {
  const major = /^tmux (?:next-)?(\d+)\./.exec(version)?.[1]
  return major === undefined || Number(major) >= 3
}
