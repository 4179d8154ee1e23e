// The terminal `iterm2` as a plugin: each session in a tab of iTerm2, on macOS.
import { AoError } from '../../contract/errors.ts'
import { definePlugin } from '../../slots/plugin.ts'
import { createIterm2Terminal } from './iterm2-terminal.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'terminal',
    name: 'iterm2',
    description: 'Opens a session in a tab of iTerm2 (macOS)',
    version: '1.0.0',
  },
  create(options, { env }) {
    const unknown = Object.keys(options)
    if (unknown.length > 0) {
      throw new AoError('CONFIG_INVALID', `The terminal iterm2 has no option ${unknown.join(', ')}`)
    }
    return createIterm2Terminal({ env, platform: process.platform })
  },
  detect: async () =>
    process.platform === 'darwin'
      ? { ok: true, detail: 'macOS, through osascript' }
      : { ok: false, detail: 'iTerm2 exists on macOS only', fix: 'Use: terminal: attach' },
})
