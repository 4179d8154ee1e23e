// A person's choices for new sessions, and starting them.
import { useMutation, useQuery } from '@tanstack/react-query'
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react'
import type { SpawnAnswer } from '../../../src/contract/dashboard/answers.ts'
import type { IssueRow } from '../../../src/contract/dashboard/issues.ts'
import { ask } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { type DraftFile, loadDraft, readDraftFiles, saveDraft, toSent } from '../session/draft-files.ts'
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
    files: NO_FILES,
    agent: '',
    branch: '',
  })
  const sent = useKeptDraft(draftKey(projectId, issues), wish, setWish)
  const [fileProblem, setFileProblem] = useState<string | null>(null)
  const spawn = useMutation({
    mutationFn: () => ask('POST /api/sessions', { body: bodyOf(wish) }),
    onSuccess(answer) {
      if (answer.spawned.length > 0) sent()
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

/** No session has a space in its id. */
function draftKey(projectId: string, issues: readonly IssueRow[]): string {
  return issues.length === 0 ? 'start' : `start ${projectId} ${issues.map(({ id }) => id).join(' ')}`
}

const KEEP_MS = 300

/** A task that was being written survives the dialog, and the page, until it is started. */
function useKeptDraft(key: string, { prompt, files }: SpawnWish, setWish: Dispatch<SetStateAction<SpawnWish>>) {
  const draft = useRef({ text: '', files: NO_FILES })
  const isKept = useRef(true)
  if (prompt !== draft.current.text || files !== draft.current.files) {
    draft.current = { text: prompt, files }
    isKept.current = false
  }
  const save = () => {
    if (!isKept.current) void saveDraft(key, draft.current)
    isKept.current = true
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each draft; what is saved is read from the refs.
  useEffect(() => {
    void loadDraft(key).then((kept) => {
      if (!kept || draft.current.text !== '' || draft.current.files.length > 0) return
      setWish((before) => ({ ...before, prompt: kept.text, files: kept.files }))
    })
    return save
  }, [key])
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of these.
  useEffect(() => {
    const timer = setTimeout(save, KEEP_MS)
    return () => clearTimeout(timer)
  }, [prompt, files])
  return () => {
    isKept.current = true
    void saveDraft(key, { text: '', files: [] })
  }
}

const NO_FILES: readonly DraftFile[] = []

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
