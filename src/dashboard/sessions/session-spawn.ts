// One or many sessions from one request: each starts or fails on its own.
import type * as z from 'zod/mini'
import type { SpawnAnswer } from '../../contract/dashboard/answers.ts'
import type { spawnBody } from '../../contract/dashboard/requests.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { givenFiles } from '../../store/attachments.ts'
import type { DashboardContext } from '../server/context.ts'

/** git serialises worktrees of one repository anyway; more would only crowd the machine. */
const PARALLEL = 4

export async function spawnSessions(context: DashboardContext, body: z.infer<typeof spawnBody>): Promise<SpawnAnswer> {
  const { issueIds = [], ...rest } = body
  const wanted: Array<string | null> = issueIds.length === 0 ? [null] : [...new Set(issueIds)]
  if (issueIds.length === 0 && rest.prompt === undefined) {
    throw new AoError('USAGE', 'A session needs an issue or a prompt', { hint: 'Say what it shall do' })
  }
  if (wanted.length > 1 && rest.branch !== undefined) {
    throw new AoError('USAGE', 'Several sessions cannot share one branch', { hint: 'Leave the branch out' })
  }
  const answer: SpawnAnswer = { spawned: [], failed: [] }
  const queue = [...wanted]
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await spawnOne(context, rest, next, answer)
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, queue.length) }, work))
  return answer
}

async function spawnOne(
  context: DashboardContext,
  { projectId, prompt, files, agent, branch }: Omit<z.infer<typeof spawnBody>, 'issueIds'>,
  issueId: string | null,
  answer: SpawnAnswer,
): Promise<void> {
  try {
    const session = await context.manager.spawn(
      {
        projectId,
        issueId: issueId ?? undefined,
        prompt,
        agent,
        branch,
      },
      { requireIssue: prompt === undefined, second: 'refuse', byPerson: true, files: files && givenFiles(files) },
    )
    answer.spawned.push({ issueId, sessionId: session.id })
    context.board.touch(session.id)
  } catch (error) {
    const hint = error instanceof AoError ? (error.hint ?? null) : null
    answer.failed.push({ issueId, message: errorText(error), hint })
  }
}
