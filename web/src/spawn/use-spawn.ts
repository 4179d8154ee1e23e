// A person's choices for new sessions, and starting them.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SpawnAnswer } from '../../../src/contract/dashboard/answers.ts'
import type { IssueRow } from '../../../src/contract/dashboard/issues.ts'
import { ask } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { type DraftFile, readDraftFiles, toSent } from '../session/draft-files.ts'
import { hintOf } from '../ui/error-state.tsx'

export interface SpawnWish {
  projectId: string
  /** Empty: only the prompt. */
  issueIds: readonly string[]
  prompt: string
  /** What goes along with the prompt. */
  files: readonly DraftFile[]
  /** Empty: the project's own. */
  agent: string
  /** Empty: named after the issue or the session. */
  branch: string
}

interface Options {
  projectId: string
  issues: readonly IssueRow[] | undefined
  onDone: (answer: SpawnAnswer) => void
}

export function useSpawn({ projectId, issues = [], onDone }: Options) {
  const [wish, setWish] = useState<SpawnWish>({
    projectId,
    issueIds: issues.map(({ id }) => id),
    prompt: '',
    files: [],
    agent: '',
    branch: '',
  })
  const [fileProblem, setFileProblem] = useState<string | null>(null)
  const spawn = useMutation({
    mutationFn: () => ask('POST /api/sessions', { body: bodyOf(wish) }),
    onSuccess(answer) {
      if (answer.spawned.length > 0 || wish.issueIds.length > 1) onDone(answer)
      return queryClient.invalidateQueries({ queryKey: ['issues', wish.projectId] })
    },
  })
  const refusal = spawn.data?.failed[0]
  const problem = spawn.error ? [spawn.error.message, hintOf(spawn.error)] : [refusal?.message, refusal?.hint]
  const isReady = wish.projectId !== '' && (wish.issueIds.length > 0 || wish.prompt.trim() !== '')
  return {
    wish,
    change: (part: Partial<SpawnWish>) => setWish((before) => ({ ...before, ...part })),
    isReady,
    isStarting: spawn.isPending,
    async addFiles(chosen: Iterable<File>) {
      try {
        const read = await readDraftFiles(chosen, wish.files)
        setFileProblem(null)
        setWish((before) => ({ ...before, files: [...before.files, ...read] }))
      } catch (error) {
        setFileProblem((error as Error).message)
      }
    },
    problem: fileProblem ?? (problem.filter(Boolean).join(' ') || null),
    start: () => isReady && !spawn.isPending && spawn.mutate(),
  }
}

/** Agents and open issues of a project. */
export function useOffers(projectId: string) {
  return useQuery({
    queryKey: ['issues', projectId, 'open'],
    queryFn: ({ signal }) =>
      ask('GET /api/projects/:project/issues', { params: { project: projectId }, query: { state: 'open' }, signal }),
    enabled: projectId !== '',
  }).data
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
