// `agh acp`: agh as an agent of the Agent Client Protocol on stdin and stdout. Editors drive durable sessions with it; when the
// editor leaves or is killed, its sessions and their turns continue in the daemon.
import { Readable, Writable } from 'node:stream'
import { PERMISSION_MODES } from '../../../contract/agh/session-terms.ts'
import { defineCommand } from '../../command.ts'
import { oneOf } from '../agh-command.ts'

export const acpCommand = defineCommand({
  program: 'agh',
  name: 'acp',
  insideInstead: 'Start a child of this session with: agh spawn --ttl 30m',
  about: 'Be an agent for an editor, over the Agent Client Protocol on stdin and stdout',
  details:
    'Started by editors: Zed, Neovim, JetBrains and others. Each of their threads is a session of agh.\nWhen the editor leaves, its sessions and their turns continue; loading one again shows everything that happened.',
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent (default: the configured one)', completes: 'agent' },
    permissions: {
      value: 'mode',
      about: `${PERMISSION_MODES.join(', ')} (default: the configured mode)`,
      completes: PERMISSION_MODES,
    },
  },
  async run({ options }, io) {
    if (io.stdin.isTTY)
      io.note('Editors start this command and talk to it on stdin; how to set them up: docs/editors.md')
    const sdk = await import('@agentclientprotocol/sdk')
    const { createEditorApp } = await import('./editor-app.ts')
    const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>
    const input = Readable.toWeb(io.stdin) as unknown as ReadableStream<Uint8Array>
    const permissions = oneOf('--permissions', options.permissions, PERMISSION_MODES)
    const app = createEditorApp(sdk, io, { agent_name: options.agent, permissions })
    await app.connect(sdk.ndJsonStream(output, input)).closed
    return 0
  },
})
