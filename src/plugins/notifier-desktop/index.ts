// The notifier `desktop`: notify-send on Linux, osascript on macOS. Text is an argument, never part of a script.
import * as z from 'zod/mini'
import { escapeTags } from '../../core/text/escape-markup.ts'
import { exec, execFailure } from '../../lib/exec.ts'
import { findExecutable } from '../../lib/find-executable.ts'
import { type Notification, NotifierError } from '../../slots/notifier.ts'
import { definePlugin, type PluginContext } from '../../slots/plugin.ts'
import { clipped, titleOf } from '../notify-http/wording.ts'

const optionsSchema = z.strictObject({ sound: z.optional(z.boolean()) })
const TIMEOUT_MS = 10_000

export const plugin = definePlugin({
  manifest: { slot: 'notifier', name: 'desktop', description: "The desktop's own notifications" },
  options: optionsSchema,
  create({ sound = false }, context) {
    return { name: 'desktop', notify: (notification) => show(notification, sound, context) }
  },
  async detect(context) {
    const command = commandName()
    if (findExecutable(command, { env: context.env })) return { ok: true, detail: `through ${command}` }
    return { ok: false, detail: `${command} is not on PATH`, fix: 'Install libnotify, or choose another notifier' }
  },
})

function commandName(): string {
  return process.platform === 'darwin' ? 'osascript' : 'notify-send'
}

async function show(notification: Notification, sound: boolean, { env }: PluginContext): Promise<void> {
  const command = commandName()
  const result = await exec(command, argumentsFor(notification, sound), { env, timeoutMs: TIMEOUT_MS })
  if (result.ok) return
  throw new NotifierError(execFailure(command, result), { permanent: result.startError !== null })
}

const URGENCY = { urgent: 'critical', action: 'normal', warning: 'normal', info: 'low' } as const

function argumentsFor(notification: Notification, sound: boolean): string[] {
  const title = titleOf(notification)
  const message = clipped(notification.message, 1_000)
  if (process.platform === 'darwin') return ['-e', APPLE_SCRIPT, title, message, sound ? 'Ping' : '']
  const urgency = URGENCY[notification.priority ?? 'info']
  // Notification servers interpret some HTML in the body.
  return [`--urgency=${urgency}`, '--app-name=ao', '--', title, escapeTags(message)]
}

const APPLE_SCRIPT = `on run argv
  if item 3 of argv is "" then
    display notification (item 2 of argv) with title (item 1 of argv)
  else
    display notification (item 2 of argv) with title (item 1 of argv) sound name (item 3 of argv)
  end if
end run`
