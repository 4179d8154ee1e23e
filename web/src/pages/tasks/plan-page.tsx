// The page of a plan: parts that were proposed, which a person changes, accepts or discards.
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { PlanAnswer } from '../../../../src/contract/dashboard/tasks.ts'
import { plural } from '../../../../src/core/text/format-age.ts'
import { Answered, useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import type { PageProps } from '../../routes.ts'
import { Page } from '../../shell/page.tsx'
import { WayBack } from '../../shell/way-back.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/overlay/form-dialog.tsx'
import { toastError } from '../../ui/overlay/toast.tsx'
import { Panel } from '../../ui/panel.tsx'
import { SessionLink } from '../../ui/text/session-link.tsx'
import { Visible } from '../../ui/text/visible.tsx'
import { PlanForm, type PlanPart } from './plan-form.tsx'

export function PlanPage({ params: { id = '' } }: PageProps) {
  const query = useAnswer(['plan', id], 'GET /api/plans/:id', { params: { id } })
  return (
    <Page
      title="Plan"
      subtitle="How to split work: nothing is made before you accept it"
      above={<WayBack to="Issues" href="/issues" />}
    >
      <Answered query={query}>{(plan) => <OnePlan key={plan.id} plan={plan} />}</Answered>
    </Page>
  )
}

const STATES: Record<PlanAnswer['state'], { word: string; tone: Tone }> = {
  proposed: { word: 'Proposed', tone: 'attention' },
  accepted: { word: 'Being carried out', tone: 'live' },
  done: { word: 'Carried out', tone: 'good' },
  discarded: { word: 'Discarded', tone: 'neutral' },
}

export function PlanState({ state }: Pick<PlanAnswer, 'state'>) {
  const { word, tone } = STATES[state]
  return <Badge tone={tone}>{word}</Badge>
}

const ACCEPT = 'POST /api/plans/:id/accept'
const DISCARD = 'POST /api/plans/:id/discard'
const EDIT = 'POST /api/plans/:id/edit'

function OnePlan({ plan }: { plan: PlanAnswer }) {
  const [isDiscarding, setDiscarding] = useState(false)
  const [draft, setDraft] = useState<PlanPart[] | null>(null)
  const params = { id: plan.id }
  const run = useMutation({
    mutationFn: (act: 'accept' | 'discard' | 'edit') => {
      if (act === 'edit') return ask(EDIT, { params, body: { text: JSON.stringify({ children: draft }) } })
      return act === 'accept' ? ask(ACCEPT, { params, body: { digest: plan.digest } }) : ask(DISCARD, { params })
    },
    onSuccess: () => setDraft(null),
    onError: (error) => toastError(error),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['plan'] }),
  })
  const isOpen = plan.state === 'proposed'
  const count = plan.children.length
  const isEditing = draft !== null
  return (
    <Panel
      className="max-w-4xl"
      title={`${plural(count, 'part')}${plan.issueId === null ? '' : ` of issue ${plan.issueId}`}`}
      actions={
        <span className="flex flex-wrap items-center gap-2">
          <PlanState state={plan.state} />
          {isOpen && isEditing && (
            <>
              <Button size="sm" onClick={() => setDraft(null)}>
                Cancel
              </Button>
              <Button size="sm" variant="primary" does={EDIT} busy={run.isPending} onClick={() => run.mutate('edit')}>
                Save
              </Button>
            </>
          )}
          {isOpen && !isEditing && (
            <>
              <Button size="sm" does={DISCARD} onClick={() => setDiscarding(true)}>
                Discard
              </Button>
              <Button
                size="sm"
                does={EDIT}
                onClick={() => setDraft(plan.children.map(({ issue: _, session: __, ...part }) => part))}
              >
                Edit
              </Button>
              <Button
                size="sm"
                variant="primary"
                icon="check"
                does={ACCEPT}
                busy={run.isPending}
                onClick={() => run.mutate('accept')}
              >
                Accept: start {plural(count, 'session')}
              </Button>
            </>
          )}
        </span>
      }
    >
      <p className="px-4 pt-3 text-xs text-muted">
        Proposed by <Visible text={plan.by} />
        {isOpen &&
          !isEditing &&
          '. Each part becomes an issue and a session; one that comes after another waits for it.'}
      </p>
      {isDiscarding && (
        <FormDialog
          title="Discard this plan?"
          action="Discard"
          does={DISCARD}
          runs={{ ...run, mutate: () => run.mutate('discard', { onSettled: () => setDiscarding(false) }) }}
          onClose={() => setDiscarding(false)}
        >
          <p className="text-sm">Nothing was made of it yet. It cannot be accepted afterwards.</p>
        </FormDialog>
      )}
      {draft !== null ? (
        <PlanForm parts={draft} onChange={setDraft} />
      ) : (
        <ol className="divide-y">
          {plan.children.map((child) => (
            <Part key={child.key} child={child} />
          ))}
        </ol>
      )}
    </Panel>
  )
}

function Part({
  child: { key, title, body, project, needs, issue, session },
}: {
  child: PlanAnswer['children'][number]
}) {
  return (
    <li className="flex flex-col gap-1 px-4 py-3 text-sm">
      <span className="flex flex-wrap items-baseline gap-2">
        <span className="font-mono text-xs text-muted">{key}</span>
        <span className="min-w-0 font-medium break-words">
          <Visible text={title} />
        </span>
        <span className="text-xs text-muted">
          {project}
          {needs.length > 0 && `, after ${needs.join(', ')}`}
          {issue !== undefined && `, issue ${issue}`}
        </span>
        {session !== undefined && <SessionLink id={session} />}
      </span>
      {body !== '' && (
        <span className="text-xs break-words whitespace-pre-wrap text-muted">
          <Visible text={body} lines />
        </span>
      )}
    </li>
  )
}
