// `ao batch-spawn`: many issues at once, each its own session; issues that already have one are skipped.
import type { AoError } from '../../../contract/errors.ts'
import { explainError } from '../../../contract/explain-error.ts'
import type { Session } from '../../../contract/session.ts'
import { isTerminalSession } from '../../../contract/status.ts'
import { ORCHESTRATOR } from '../../../core/boundary/rights.ts'
import { issueKey } from '../../../core/session/name-branch.ts'
import { plural } from '../../../core/text/format-age.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { noteInterruption } from '../../print/progress.ts'
import { type SessionJson, toSessionJson } from '../../print/session-json.ts'
import { chooseProject, type IssueReference, splitIssue } from '../choose-project.ts'
import { type Ao, openAo } from '../open-ao.ts'
import { openSessions } from '../open-sessions.ts'

/** git serialises worktrees of one repository anyway; more would only crowd the machine. */
const PARALLEL = 4

export const batchSpawnCommand = defineCommand({
  name: 'batch-spawn',
  inside: ORCHESTRATOR,
  about: 'Start one session for each issue',
  details: `Issues that have a running session, and repeated ones, are skipped. ${PARALLEL} start at a time.\nThe exit code is 1 when one of them failed; the others run.`,
  args: { issues: { about: 'Issue ids, or <project>/<issue>', required: true, variadic: true } },
  options: {
    project: { short: 'p', value: 'id', about: 'Project of issues that do not name one', completes: 'project' },
    agent: { value: 'name', about: 'Agent to use instead of the configured one', completes: 'agent' },
    prompt: { value: 'text', about: 'Extra instructions for every session' },
    open: { about: 'Open the sessions in terminals once they are running' },
    json: JSON_OPTION,
  },
  json: '{ created: [{ issue, session: Session }], skipped: [{ issue, reason }], failed: [{ issue, error: { code, message, hint?, details } }] }',
  async run({ args, options }, io) {
    const ao = await openAo(io)
    const references = args.issues.map((text) => {
      const { projectId, issueId } = splitIssue(ao.config, text)
      return { issueId, projectId: chooseProject(ao.config, projectId ?? options.project, io).id }
    })
    const plan = planBatch(references, await ao.manager.list())
    const report = { created: [], skipped: plan.skipped, failed: [] } as BatchReport
    const say = options.json ? () => undefined : (line: string) => io.print(line)
    for (const { issue, reason } of plan.skipped) say(`${io.style.dim('skipped')} ${toOneLine(issue)}: ${reason}`)

    const done = noteInterruption(io, 'The batch was interrupted')
    const request = { agent: options.agent, prompt: options.prompt }
    const sessions = await spawnAll(ao, { references: plan.toSpawn, request, report, say, io })
    done()
    if (options.json) io.json(report)
    else printSummary(report, io)
    if (options.open) await openSessions(ao, sessions, io)
    return report.failed.length > 0 ? 1 : 0
  },
})

interface BatchReport {
  created: Array<{ issue: string; session: SessionJson }>
  skipped: Array<{ issue: string; reason: string }>
  failed: Array<{ issue: string; error: ReturnType<AoError['toJSON']>['error'] }>
}

/** What starts and what is skipped, and why. */
export function planBatch(
  references: IssueReference[],
  sessions: Session[],
): { toSpawn: IssueReference[]; skipped: BatchReport['skipped'] } {
  const owners = new Map<string, string>()
  for (const session of sessions) {
    if (session.issueId === null || isTerminalSession(session)) continue
    owners.set(keyOf({ projectId: session.projectId, issueId: session.issueId }), session.id)
  }
  const toSpawn: IssueReference[] = []
  const skipped: BatchReport['skipped'] = []
  const seen = new Set<string>()
  for (const reference of references) {
    const key = keyOf(reference)
    const owner = owners.get(key)
    if (owner !== undefined) skipped.push({ issue: reference.issueId, reason: `session ${owner} works on it` })
    else if (seen.has(key)) skipped.push({ issue: reference.issueId, reason: 'named twice' })
    else toSpawn.push(reference)
    seen.add(key)
  }
  return { toSpawn, skipped }
}

function keyOf({ projectId, issueId }: IssueReference): string {
  return `${projectId}/${issueKey(issueId)}`
}

interface BatchRun {
  references: IssueReference[]
  request: { agent: string | undefined; prompt: string | undefined }
  report: BatchReport
  say(line: string): void
  io: Io
}

async function spawnAll(ao: Ao, batch: BatchRun): Promise<Session[]> {
  const sessions: Session[] = []
  const queue = [...batch.references]
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const session = await spawnOne(ao, next, batch)
      if (session) sessions.push(session)
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, queue.length) }, work))
  return sessions
}

async function spawnOne(ao: Ao, reference: IssueReference, batch: BatchRun): Promise<Session | null> {
  const { report, say, io, request } = batch
  const { issueId } = reference
  try {
    const session = await ao.manager.spawn(
      {
        ...reference,
        agent: request.agent,
        prompt: request.prompt,
      },
      {
        requireIssue: request.prompt === undefined,
        onNotice: (line) => say(`${io.style.yellow('warning')} ${toOneLine(`${issueId}: ${line}`)}`),
      },
    )
    report.created.push({ issue: issueId, session: toSessionJson(session) })
    say(`${io.style.green('started')} ${io.style.bold(session.id)} for ${toOneLine(issueId)}`)
    return session
  } catch (error) {
    const explained = explainError(error)
    report.failed.push({ issue: issueId, error: explained.toJSON().error })
    say(`${io.style.red('failed')} ${toOneLine(issueId)}: ${explained.message}`)
    return null
  }
}

function printSummary({ created, skipped, failed }: BatchReport, io: Io): void {
  io.print()
  io.print(`Created ${plural(created.length, 'session')}, skipped ${skipped.length}, failed ${failed.length}.`)
  const hints = new Set(failed.map(({ error }) => error.hint).filter((hint) => hint !== undefined))
  for (const hint of hints) io.note(`${io.noteStyle.cyan('hint:')} ${hint}`)
}
