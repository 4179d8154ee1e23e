// A person's choices for new sessions, and starting them.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { SpawnAnswer } from '../../../src/contract/dashboard/answers.ts'
import type { IssueRow } from '../../../src/contract/dashboard/issues.ts'
import { useAnswer } from '../api/answered.tsx'
import { ask } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { type DraftFile, toSent } from '../session/draft-files.ts'
import { addFiles, clearDraft, removeFile, useLetter, writeDraft } from '../session/outbox.ts'
import { hintOf } from '../ui/error-state.tsx'

export interface SpawnChoice {
  projectId: string
  /** Empty: only the prompt. */
  issueIds: readonly string[]
  /** Empty: the project's own. */
  agent: string
  /** Empty: named after the issue or the session. */
  branch: string
}

interface SpawnWish extends SpawnChoice {
  prompt: string
  /** What goes along with the prompt. */
  files: readonly DraftFile[]
}

interface Options {
  projectId: string
  issues: readonly IssueRow[] | undefined
  onDone: (answer: SpawnAnswer) => void
}

export function useSpawn({ projectId, issues = [], onDone }: Options) {
  const name = draftName(projectId, issues)
  const { draft: prompt, files, delivery } = useLetter(name)
  const [choice, setChoice] = useState<SpawnChoice>({
    projectId,
    issueIds: issues.map(({ id }) => id),
    agent: '',
    branch: '',
  })
  const wish: SpawnWish = { ...choice, prompt, files }
  const spawn = useMutation({
    mutationFn: () => ask('POST /api/sessions', { body: bodyOf(wish) }),
    onSuccess(answer) {
      if (answer.spawned.length > 0) clearDraft(name)
      if (answer.spawned.length > 0 || wish.issueIds.length > 1) onDone(answer)
      return queryClient.invalidateQueries({ queryKey: ['issues', wish.projectId] })
    },
  })
  const refusal = spawn.data?.failed[0]
  const problem = spawn.error ? [spawn.error.message, hintOf(spawn.error)] : [refusal?.message, refusal?.hint]
  const isReady = wish.projectId !== '' && (wish.issueIds.length > 0 || wish.prompt.trim() !== '')
  return {
    wish,
    change: (part: Partial<SpawnChoice>) => setChoice((before) => ({ ...before, ...part })),
    write: (text: string) => writeDraft(name, text),
    addFiles: (chosen: Iterable<File>) => void addFiles(name, chosen),
    removeFile: (id: string) => removeFile(name, id),
    isReady,
    isStarting: spawn.isPending,
    problem: delivery?.state === 'failed' ? delivery.why : problem.filter(Boolean).join(' ') || null,
    start: () => isReady && !spawn.isPending && spawn.mutate(),
  }
}

/** A task that was being written survives the dialog, and the page, until it is started. No session has a space in its id. */
function draftName(projectId: string, issues: readonly IssueRow[]): string {
  return issues.length === 0 ? 'start' : `start ${projectId} ${issues.map(({ id }) => id).join(' ')}`
}

/** Agents and open issues of a project. */
export function useOffers(projectId: string) {
  return useAnswer(
    ['issues', projectId, 'open'],
    'GET /api/projects/:project/issues',
    { params: { project: projectId }, query: { state: 'open' } },
    { enabled: projectId !== '' },
  ).data
}

function bodyOf({ projectId, issueIds, prompt, files, agent, branch }: SpawnWish) {
  return {
    projectId,
    ...(issueIds.length > 0 && { issueIds: [...issueIds] }),
    ...(prompt.trim() !== '' && { prompt: prompt.trim() }),
    ...(files.length > 0 && { files: toSent(files) }),
    ...(agent !== '' && { agent }),
    ...(branch.trim() !== '' && issueIds.length < 2 && { branch: branch.trim() }),
  }
}
