// The tmux runtime as a plugin: its options and whether tmux is available.
import { exec, execFailure } from '../../lib/exec.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { tmuxOptions } from './tmux-options.ts'
import { createTmuxRuntime } from './tmux-runtime.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'runtime',
    name: 'tmux',
    description: 'Runs each agent in a tmux session on a server of its own',
  },
  options: tmuxOptions,
  create: (options, context) => createTmuxRuntime(options, context),
  async detect({ env }) {
    const result = await exec('tmux', ['-V'], { env, timeoutMs: 2_000 })
    const fix = 'Install tmux 3.0 or newer, or use: runtime: process'
    if (result.timedOut) return { ok: false, detail: execFailure('tmux', result), timedOut: true }
    if (!result.ok) return { ok: false, detail: execFailure('tmux', result), fix }
    const version = result.stdout.trim()
    return isNewEnough(version) ? { ok: true, detail: version } : { ok: false, detail: `${version} is too old`, fix }
  },
})

/**
 * `tmux 3.3a`, `tmux next-3.5`, `tmux openbsd-7.4`, `tmux master`: a version without a number is built from recent source.
 */
export function isNewEnough(version: string): boolean {
  const major = /^tmux (?:next-)?(\d+)\./.exec(version)?.[1]
  return major === undefined || Number(major) >= 3
}
