// The page "Issues": the open issues of all projects or of one, who works on them, and starting sessions for one or many.
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { SpawnAnswer } from '../../../../src/contract/dashboard/answers.ts'
import type { IssuesAnswer } from '../../../../src/contract/dashboard/issues.ts'
import { useAnswer } from '../../api/answered.tsx'
import { useBoard } from '../../api/live.ts'
import { NO_LINE_YET, Page } from '../../shell/page.tsx'
import { SpawnDialog } from '../../spawn/spawn-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Command, EmptyState } from '../../ui/empty-state.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { holdsAll, ListFilter, readListFilter } from '../../ui/list-filter.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/spinner.tsx'
import { IssueItem } from './issue-item.tsx'
import { NewIssueDialog } from './new-issue-dialog.tsx'
import { Plans } from './plans.tsx'
import { Schedules } from './schedules.tsx'
import { SpawnResult } from './spawn-result.tsx'

const STATES = [
  ['open', 'Open'],
  ['closed', 'Closed'],
  ['all', 'All'],
] as const

export function IssuesPage() {
  const board = useBoard()
  const [search] = useSearchParams()
  const { project, state } = readListFilter(search, STATES)
  const projects = board?.projects ?? []
  const one = project || (projects.length === 1 ? projects[0]?.id : undefined)
  const shown = one === undefined ? projects.map(({ id }) => id) : [one]
  return (
    <Page
      title="Issues"
      actions={
        <ListFilter href="/issues" {...{ projects, project: one ?? '', state }} states={STATES} offersAllProjects />
      }
    >
      {board?.projects.length === 0 && (
        <EmptyState icon="issue" title="There is no project">
          Add one with <Command>ao init</Command>
        </EmptyState>
      )}
      {shown.map((id) => (
        <ProjectIssues key={`${id} ${state}`} projectId={id} state={state} isNamed={shown.length > 1} />
      ))}
    </Page>
  )
}

interface ProjectProps {
  projectId: string
  state: string
  /** Beside those of others. */
  isNamed: boolean
}

function ProjectIssues({ projectId, state, isNamed }: ProjectProps) {
  const { data, error, refetch } = useAnswer(['issues', projectId, state], 'GET /api/projects/:project/issues', {
    params: { project: projectId },
    query: { state },
  })
  const [isWriting, setWriting] = useState(false)
  return (
    <section aria-label={`Issues of ${projectId}`} className="mb-6 shrink-0">
      <div className="mb-2 flex min-h-8 items-center gap-3">
        <h2 className="min-w-0 flex-1 truncate text-sm">
          {isNamed && <span className="font-medium">{projectId} · </span>}
          <span className="text-muted">{data ? `from the ${data.tracker} tracker` : NO_LINE_YET}</span>
        </h2>
        {data?.canCreate && (
          <Button
            variant={isNamed ? 'secondary' : 'primary'}
            size={isNamed ? 'sm' : 'md'}
            icon="plus"
            does="POST /api/projects/:project/issues"
            onClick={() => setWriting(true)}
          >
            New issue{isNamed && <span className="sr-only"> in {projectId}</span>}
          </Button>
        )}
      </div>
      <Plans projectId={projectId} />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton label={`Asking for the issues of ${projectId}`} />}
      {data && <IssueList answer={data} />}
      {isWriting && <NewIssueDialog projectId={projectId} onClose={() => setWriting(false)} />}
      <Schedules projectId={projectId} />
    </section>
  )
}

function IssueList({ answer }: { answer: IssuesAnswer }) {
  const [search] = useSearchParams()
  const { terms } = readListFilter(search, STATES)
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isSpawning, setSpawning] = useState<readonly string[] | null>(null)
  const [result, setResult] = useState<SpawnAnswer | null>(null)
  const shown = answer.issues.filter(({ title, id, labels }) => holdsAll(`${title} #${id} ${labels.join(' ')}`, terms))
  // Issues that were closed meanwhile are not started by accident.
  const open = shown.filter(({ state }) => state === 'open' || state === 'in_progress')
  const chosen = open.filter(({ id }) => selected.has(id)).map(({ id }) => id)
  const toggle = (id: string) =>
    setSelected((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })
  return (
    <>
      {result && <SpawnResult result={result} onClose={() => setResult(null)} />}
      {shown.length === 0 ? (
        <Nothing answer={answer} />
      ) : (
        <Panel>
          {open.length > 0 && (
            <SpawnBar
              all={open.map(({ id }) => id)}
              chosen={chosen}
              onChoose={(ids) => setSelected(new Set(ids))}
              onSpawn={() => setSpawning(chosen)}
            />
          )}
          <ul className="divide-y" aria-label="Issues">
            {shown.map((issue) => (
              <IssueItem
                key={issue.id}
                issue={issue}
                canChange={answer.canChange}
                isSelected={selected.has(issue.id)}
                onSelect={() => toggle(issue.id)}
                onSpawn={() => setSpawning([issue.id])}
              />
            ))}
          </ul>
        </Panel>
      )}
      {isSpawning && (
        <SpawnDialog
          projects={[]}
          issues={answer.issues.filter(({ id }) => isSpawning.includes(id))}
          onClose={() => setSpawning(null)}
          onDone={(done) => {
            setSpawning(null)
            setResult(done)
            setSelected(new Set(done.failed.flatMap(({ issueId }) => issueId ?? [])))
          }}
        />
      )}
    </>
  )
}

function Nothing({ answer }: { answer: IssuesAnswer }) {
  if (answer.issues.length > 0) {
    return (
      <EmptyState icon="search" title="No issue matches">
        {answer.issues.length} are hidden by the filter.
      </EmptyState>
    )
  }
  return (
    <EmptyState icon="issue" title="No issues here">
      {answer.canCreate ? (
        <>
          Write the first one here, or with <Command>ao issue new "…"</Command>
        </>
      ) : (
        `Nothing of this state is in the ${answer.tracker} tracker.`
      )}
    </EmptyState>
  )
}

interface Props {
  all: readonly string[]
  chosen: readonly string[]
  onChoose: (ids: readonly string[]) => void
  onSpawn: () => void
}

/** How many issues are selected, selecting all of them, and starting sessions for them. */
function SpawnBar({ all, chosen, onChoose, onSpawn }: Props) {
  const isAll = chosen.length === all.length
  return (
    <div className="sticky top-0 z-10 flex min-h-11 items-center gap-3 rounded-t-lg border-b bg-surface px-4 py-1.5 text-sm">
      <label className="flex min-h-8 items-center gap-3 text-muted">
        <input
          type="checkbox"
          checked={isAll}
          ref={(box) => {
            if (box) box.indeterminate = !isAll && chosen.length > 0
          }}
          onChange={() => onChoose(isAll ? [] : all)}
          className="size-4 accent-(--accent)"
        />
        <span aria-live="polite">
          {chosen.length === 0 ? `Select all ${all.length}` : `${chosen.length} of ${all.length} selected`}
        </span>
      </label>
      {chosen.length > 0 && (
        <Button size="sm" variant="primary" icon="play" does="POST /api/sessions" className="ml-auto" onClick={onSpawn}>
          Start {chosen.length === 1 ? 'a session' : `${chosen.length} sessions`}
        </Button>
      )}
    </div>
  )
}
