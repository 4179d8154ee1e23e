// The terminal `attach` as a plugin: the session in the very terminal where the command was typed.

import { AoError } from '../../contract/errors.ts'
import { startProgram } from '../../lib/start-program.ts'
import { definePlugin, NO_OPTIONS, type PluginContext } from '../../slots/plugin.ts'
import type { Terminal } from '../../slots/terminal.ts'
import { planAttach } from './plan-attach.ts'

export const plugin = definePlugin({
  manifest: {
    slot: 'terminal',
    name: 'attach',
    description: 'Opens a session in the terminal you are in',
  },
  options: NO_OPTIONS,
  create: (_options, context) => createAttachTerminal(context),
  detect: async () => ({ ok: true, detail: 'ships with ao' }),
})

/** Hands the user's terminal to the session's attach command and waits until they leave it. */
export function createAttachTerminal({ env }: Pick<PluginContext, 'env'>): Terminal {
  return {
    name: 'attach',
    async openSession({ session, attach }) {
      const plan = planAttach(attach, env, process.getuid?.() ?? 0)
      const end = await runInTerminal(plan.command, plan.env)
      if (end.startError) {
        throw new AoError('TOOL_MISSING', `${plan.command[0]} could not be started: ${end.startError.message}`)
      }
      if (end.exitCode === 0) return
      const how = end.signal ? `was ended by ${end.signal}` : `exited with ${end.exitCode}`
      throw new AoError('RUNTIME_FAILED', `Attaching to ${session.id} failed: ${plan.command[0]} ${how}`, {
        hint: process.stdin.isTTY
          ? `Inspect it with: ao session show ${session.id}`
          : 'Attaching needs a terminal: run it in one, without a pipe',
      })
    },
  }
}

interface End {
  exitCode: number | null
  signal: NodeJS.Signals | null
  startError?: Error
}

/** Keys belong to the child while it is running, including Ctrl-C; whatever ends us ends it too. */
function runInTerminal(command: string[], env: NodeJS.ProcessEnv): Promise<End> {
  return new Promise((resolve) => {
    const child = startProgram(command[0]!, command.slice(1), { env, stdio: 'inherit' })
    const leaveToChild = () => undefined
    const handOn = (signal: NodeJS.Signals) => child.kill(signal)
    const finish = (end: End) => {
      for (const name of KEYBOARD_SIGNALS) process.off(name, leaveToChild)
      for (const name of ENDING_SIGNALS) process.off(name, handOn)
      resolve(end)
    }
    for (const name of KEYBOARD_SIGNALS) process.on(name, leaveToChild)
    for (const name of ENDING_SIGNALS) process.on(name, handOn)
    child.once('error', (startError) => finish({ exitCode: null, signal: null, startError }))
    child.once('exit', (exitCode, signal) => finish({ exitCode, signal }))
  })
}

const KEYBOARD_SIGNALS = ['SIGINT', 'SIGQUIT'] as const
const ENDING_SIGNALS = ['SIGTERM', 'SIGHUP'] as const
