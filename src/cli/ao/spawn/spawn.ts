// `ao spawn`: one agent on one task.

import { AoError } from '../../../contract/errors.ts'
import { recordOf } from '../../../contract/record.ts'
import type { Session } from '../../../contract/session.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { createProgress } from '../../print/progress.ts'
import { toSessionJson } from '../../print/session-json.ts'
import { readText } from '../../read-text.ts'
import { chooseProject, splitIssue } from '../choose-project.ts'
import { openAo } from '../open-ao.ts'
import { openSessions } from '../open-sessions.ts'
import { noteInterruption } from '../start/note-interruption.ts'

export const spawnCommand = defineCommand({
  name: 'spawn',
  about: 'Start an agent in a worktree of its own, on an issue or with a prompt',
  details:
    "The issue is an id of the project's tracker, or free words when the tracker knows no such issue.\nWithout --project it is the only project, AO_PROJECT_ID, or the one around the current directory.\nThe last line of the output is SESSION=<id>, for scripts.",
  args: { issue: { about: 'Issue id, or <project>/<issue>' } },
  options: {
    project: { short: 'p', value: 'id', about: 'The project', completes: 'project' },
    agent: { value: 'name', about: 'Another agent than the configured one', completes: 'agent' },
    branch: { value: 'name', about: 'Another branch than the one derived from the issue' },
    prompt: { value: 'text', about: 'What to do, beside or instead of an issue' },
    'prompt-file': { value: 'file', about: 'The same from a file; - is stdin', completes: 'file' },
    open: { about: 'Open the session in a terminal once it runs' },
    json: JSON_OPTION,
  },
  examples: [
    { line: 'ao spawn 42', about: 'Work on issue 42' },
    { line: 'ao spawn api/INT-7 --agent codex', about: 'In project api, with codex' },
    { line: 'ao spawn --prompt "Fix the flaky login test"', about: 'Without an issue' },
  ],
  json: '{ session: Session }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const { projectId, issueId } = args.issue === undefined ? {} : splitIssue(ao.config, args.issue)
    const project = chooseProject(ao.config, options.project ?? projectId, io)
    const prompt = await readPrompt(options.prompt, options['prompt-file'], io)
    const progress = createProgress(io)
    const done = noteInterruption(io, 'The start was interrupted')
    let session: Session
    try {
      session = await ao.manager.spawn(
        {
          projectId: project.id,
          ...(issueId === undefined ? {} : { issueId }),
          ...(prompt === undefined ? {} : { prompt }),
          ...(options.branch === undefined ? {} : { branch: options.branch }),
          ...(options.agent === undefined ? {} : { agent: options.agent }),
        },
        { onProgress: progress.step, requireIssue: prompt === undefined },
      )
    } finally {
      progress.end()
      done()
    }
    if (options.json) io.json({ session: toSessionJson(session) })
    else printSpawned(session, io)
    if (options.open) await openSessions(ao, [session], io)
  },
})

function printSpawned(session: Session, io: Io): void {
  const { id, branch } = session
  const issue = session.issueId ? ` for ${session.issueId}` : ''
  io.print(`${io.style.green('started')} ${io.style.bold(id)}${issue}: ${recordOf(session).agent} on branch ${branch}`)
  io.print(`  watch it: ao session attach ${id}   talk to it: ao send ${id} "..."`)
  io.print(`SESSION=${id}`)
}

async function readPrompt(text: string | undefined, file: string | undefined, io: Io): Promise<string | undefined> {
  if (text !== undefined && file !== undefined) {
    throw new AoError('USAGE', '--prompt and --prompt-file exclude each other', { hint: 'Give one of them' })
  }
  return file === undefined ? text : readText(file, io)
}
