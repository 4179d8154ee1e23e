// The page of a task that several sessions have: they are compared, and a person chooses one of several tries.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Comparison } from '../../../../src/contract/dashboard/tasks.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import type { PageProps } from '../../routes.ts'
import { Page } from '../../shell/page.tsx'
import { WayBack } from '../../shell/way-back.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { toast, toastError } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { Warning } from '../../ui/warning.tsx'
import { ComparedTable } from './compared-table.tsx'
import { PairDiff } from './pair-diff.tsx'

/** It asks the forge and git. */
const AGAIN_MS = 15_000

export function TaskPage({ params: { id = '' } }: PageProps) {
  const query = useAnswer(['task', id], 'GET /api/tasks/:id', { params: { id } }, { refetchInterval: AGAIN_MS })
  return (
    <Page
      title={query.data?.title ?? 'Task'}
      subtitle={query.data && ABOUT[query.data.kind]}
      above={<WayBack to="Board" href="/" />}
    >
      <Answered query={query}>{(task) => <OneTask task={task} />}</Answered>
    </Page>
  )
}

const ABOUT: Record<Comparison['kind'], string> = {
  best: 'The same task several times: you choose one',
  group: 'One task over several repositories, which lands as a whole',
}

function OneTask({ task }: { task: Comparison }) {
  const { id, kind, chosen, stopped, missing, sessions } = task
  const [asking, setAsking] = useState<string | null>(null)
  const isOpen = kind === 'best' && chosen === null
  return (
    <div className="flex flex-col gap-4">
      {missing > 0 && <Warning>{missing} of its sessions were never reserved, or are gone.</Warning>}
      {stopped !== null && (
        <Warning>
          The rest does not land: <Visible text={stopped} />
        </Warning>
      )}
      <Panel title={kind === 'best' ? `${sessions.length} tries` : `A group of ${sessions.length}`}>
        <p className="px-4 py-3 text-xs text-muted">
          {kind === 'group'
            ? 'They land together, in this order, once each of them is approved and green.'
            : isOpen
              ? 'None of them lands before you choose one.'
              : `${chosen} was chosen.`}{' '}
          <span className="font-mono">{id}</span>
        </p>
        <ComparedTable sessions={sessions} chosen={chosen} onChoose={isOpen ? setAsking : null} />
      </Panel>
      {task.pairs.length > 0 && <PairDiff task={task} />}
      {asking !== null && <ChooseDialog task={task} session={asking} onClose={() => setAsking(null)} />}
    </div>
  )
}

interface ChooseProps {
  task: Comparison
  session: string
  onClose: () => void
}

const CHOOSE = 'POST /api/tasks/:id/choose'

function ChooseDialog({ task, session, onClose }: ChooseProps) {
  const others = task.sessions.filter(({ id, isArchived }) => id !== session && !isArchived)
  const run = useMutation({
    mutationFn: () => ask(CHOOSE, { params: { id: task.id }, body: { session, ending: others.map(({ id }) => id) } }),
    onSuccess: ({ chosen, failed }) => {
      for (const one of failed) toast({ tone: 'bad', title: `${one.session} could not be ended`, detail: one.why })
      if (failed.length === 0) toast({ tone: 'good', title: `${chosen} was chosen` })
    },
    onError: (error) => toastError(error),
    onSettled: () => {
      onClose()
      return queryClient.invalidateQueries({ queryKey: ['task', task.id] })
    },
  })
  return (
    <FormDialog
      title={`Choose ${session}?`}
      action={`Choose ${session}`}
      cancel="Keep all of them"
      icon="check"
      does={CHOOSE}
      runs={run}
      onClose={onClose}
    >
      <p className="text-sm">The others end, and their pull requests are closed:</p>
      <ul className="list-disc pl-5 text-sm">
        {others.map(({ id, pull }) => (
          <li key={id}>
            {id}
            {pull && `, pull request #${pull.number}`}
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted">
        Their work is kept: branches stay, and uncommitted changes are saved under refs/ao/rescue.
      </p>
    </FormDialog>
  )
}
