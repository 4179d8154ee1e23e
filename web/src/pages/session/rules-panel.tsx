// What the agent may do without asking because somebody answered "always": what ao's side keeps can be revoked here.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { StandingRule } from '../../../../src/contract/dashboard/rules.ts'
import { useAnswer } from '../../api/answered.tsx'
import { ask } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Panel } from '../../ui/panel.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'

export function RulesPanel({ sessionId }: { sessionId: string }) {
  const { data, error } = useAnswer(['rules', sessionId], 'GET /api/sessions/:id/rules', { params: { id: sessionId } })
  const problems = error ? [error.message] : (data?.problems ?? [])
  return (
    <Panel title="Standing rules">
      <ul className="divide-y text-sm">
        {data?.rules.map((rule, index) => (
          <RuleItem key={rule.id ?? `${index} ${rule.rule}`} sessionId={sessionId} rule={rule} />
        ))}
      </ul>
      {data?.rules.length === 0 && problems.length === 0 && (
        <p className="px-4 py-2 text-sm text-muted">No standing rules: no request was answered with always.</p>
      )}
      {problems.map((problem) => (
        <p key={problem} role="alert" className="px-4 py-2 text-xs text-bad">
          Not all rules could be read: {problem}
        </p>
      ))}
    </Panel>
  )
}

function RuleItem({ sessionId, rule }: { sessionId: string; rule: StandingRule }) {
  const client = useQueryClient()
  const { id } = rule
  const revoking = useMutation({
    mutationFn: () => ask('POST /api/sessions/:id/rules/:rule/revoke', { params: { id: sessionId, rule: id ?? '' } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['rules', sessionId] }),
  })
  return (
    <li className="flex flex-col gap-1 px-4 py-2">
      <div className="flex flex-wrap items-center gap-2">
        <Badge tone={rule.effect === 'allow' ? 'attention' : 'neutral'}>{rule.effect}</Badge>
        <span className="text-xs text-muted">kept by {rule.keptBy === 'agh' ? 'agh' : 'the agent'}</span>
        {rule.since && <TimeAgo at={rule.since} />}
        {id !== null && (
          <span className="ml-auto">
            <Button size="sm" does="POST /api/sessions/:id/rules/:rule/revoke" runs={revoking}>
              Revoke
            </Button>
          </span>
        )}
      </div>
      <div className="font-mono text-xs break-all whitespace-pre-wrap">{rule.rule}</div>
      {rule.file && <div className="font-mono text-xs break-all text-muted">{rule.file}</div>}
      {id === null && <div className="text-xs text-muted">{rule.how}</div>}
      {revoking.error && (
        <div role="alert" className="text-xs text-bad">
          {revoking.error.message}
        </div>
      )}
    </li>
  )
}
