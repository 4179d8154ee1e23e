// `agh run`: one prompt to an agent, from the start of a session to its end.
import { resolve } from 'node:path'
import type { AskArguments } from '../../../agh/client.ts'
import { PERMISSION_MODES } from '../../../contract/agh/session-terms.ts'
import { errorText } from '../../../contract/errors.ts'
import { FILE_OPTION } from '../../arguments/read-files.ts'
import type { Io } from '../../print/io.ts'
import { type Agh, aghCommand, oneOf } from '../agh-command.ts'
import { callersEnvironment } from '../session-new.ts'
import { readAghFiles, readPrompt, runTurn } from './prompt-command.ts'

export const runCommand = aghCommand({
  name: 'run',
  insideInstead: 'Start a child of this session with: agh spawn --ttl 30m',
  about: 'Run one prompt in a new session, show the turn, and stop the session',
  details:
    'The exit code is that of agh session prompt. The history stays: agh session history prints it, agh session resume continues it.\nCtrl-C leaves: the turn continues, and its session runs until agh session stop.',
  args: { message: { about: 'The prompt; - reads it from stdin', required: true, variadic: true } },
  options: {
    agent: { short: 'a', value: 'name', about: 'Agent (default: the configured one)', completes: 'agent' },
    cwd: { value: 'path', about: 'Directory to work in (default: the current one)' },
    name: { short: 'n', value: 'text', about: 'A name for people' },
    permissions: {
      value: 'mode',
      about: `${PERMISSION_MODES.join(', ')} (default: the configured mode)`,
      completes: PERMISSION_MODES,
    },
    file: FILE_OPTION,
    keep: { short: 'k', about: 'Leave the session running' },
  },
  examples: [
    { line: 'agh run "Explain this repository"', about: 'One question to the default agent' },
    { line: 'git diff | agh run -a claude -', about: 'The prompt from stdin' },
  ],
  async run({ args, options, io, agh, format }) {
    const message = await readPrompt(args.message, io)
    const files = options.file.length === 0 ? [] : await readAghFiles(options.file, io, agh)
    const request = {
      agent_name: options.agent,
      name: options.name,
      permissions: oneOf('--permissions', options.permissions, PERMISSION_MODES),
      environment: callersEnvironment(io),
      workspace_path: resolve(io.cwd, options.cwd ?? '.'),
    }
    const id = await startSession(agh, io, request)
    if (format === 'human') io.note(`Session ${id}`)
    const afterwards = `Stop the session with: agh session stop ${id}`
    const fromStdin = args.message[0] === '-'
    try {
      return await runTurn({ id, message, files, queue: false, fromStdin, io, agh, format, afterwards })
    } finally {
      // Also when the prompt was refused: nobody else knows of this session.
      if (!options.keep) await stopSession(agh, io, id)
    }
  },
})

type NewSession = NonNullable<NonNullable<AskArguments<'POST /api/sessions'>[0]>['body']>

async function startSession(agh: Agh, io: Io, body: NewSession): Promise<string> {
  const started = io.onInterrupt(() => {
    io.note('\nThe session may have been started; the prompt was not sent. Look for it with: agh session list')
  })
  try {
    return (await agh.call('POST /api/sessions', { body })).session.id
  } finally {
    started()
  }
}

async function stopSession(agh: Agh, io: Io, id: string): Promise<void> {
  await agh.call('POST /api/sessions/:id/stop', { params: { id }, body: {} }).catch((error) => {
    io.note(`Session ${id} could not be stopped: ${errorText(error)}`)
  })
}
