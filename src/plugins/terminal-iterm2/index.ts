// The terminal `iterm2` as a plugin: each session in a tab of iTerm2, on macOS.
import { definePlugin, NO_OPTIONS } from '../../slots/plugin.ts'
import { createIterm2Terminal } from './iterm2-terminal.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'terminal',
    name: 'iterm2',
    description: 'Opens a session in a tab of iTerm2 (macOS)',
  },
  options: NO_OPTIONS,
  create: (_options, { env }) => createIterm2Terminal({ env, platform: process.platform }),
  detect: async () =>
    process.platform === 'darwin'
      ? { ok: true, detail: 'macOS, through osascript' }
      : { ok: false, detail: 'iTerm2 exists on macOS only', fix: 'Use: terminal: attach' },
})
