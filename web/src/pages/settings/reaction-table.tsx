// Reactions of one project: what is done automatically, and which file says so.
import type { SettingsAnswer } from '../../../../src/contract/dashboard/pages.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { formatAge } from '../../ui/text/format.ts'

type Reaction = SettingsAnswer['projects'][number]['reactions'][number]
type Source = NonNullable<Reaction['from'][keyof Reaction['from']]>

const SOURCE_LABELS: Record<Source, string> = { default: 'built in', global: 'reactions:', project: 'this project' }
const SOURCE_TONES: Record<Source, Tone> = { default: 'neutral', global: 'accent', project: 'review' }

interface Props {
  project: string
  reactions: Reaction[]
  onEdit: (reaction: Reaction) => void
}

export function ReactionTable({ project, reactions, onEdit }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone, and the keyboard must reach that
    <section aria-label={`Reactions of ${project}`} className="relative overflow-x-auto border-t" tabIndex={0}>
      <table className="w-full min-w-2xl text-sm">
        <thead>
          <tr className="text-left text-xs text-muted [&>th]:px-4 [&>th]:py-2 [&>th]:font-medium">
            <th scope="col">When</th>
            <th scope="col">Then</th>
            <th scope="col">Priority</th>
            <th scope="col">Before a person is notified</th>
            <th scope="col">Written in</th>
            <th scope="col">
              <span className="sr-only">Edit</span>
            </th>
          </tr>
        </thead>
        <tbody className="divide-y border-t">
          {reactions.map((reaction) => (
            <ReactionRow key={reaction.key} reaction={reaction} onEdit={() => onEdit(reaction)} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface RowProps {
  reaction: Reaction
  onEdit: () => void
}

function ReactionRow({ reaction: { key, rule, from }, onEdit }: RowProps) {
  const sources = [...new Set(Object.values(from))]
  return (
    <tr className="[&>td]:px-4 [&>td]:py-2 [&>td]:align-middle">
      <td className="font-mono text-xs leading-5 whitespace-nowrap">{key}</td>
      <td className={rule.auto ? '' : 'text-muted'}>
        {rule.auto ? rule.action.replaceAll('-', ' ') : `nothing (${rule.action.replaceAll('-', ' ')} when auto is on)`}
        {rule.message !== undefined && <div className="max-w-xs truncate text-xs text-muted">“{rule.message}”</div>}
      </td>
      <td>{rule.priority}</td>
      <td className="text-muted">{patience(rule)}</td>
      <td>
        <span className="flex flex-wrap gap-1">
          {sources.map((source) => (
            <Badge key={source} tone={SOURCE_TONES[source]} title={fieldsFrom(from, source)}>
              {SOURCE_LABELS[source]}
            </Badge>
          ))}
        </span>
      </td>
      <td className="text-right">
        <IconButton size="sm" icon="edit" label={`Edit ${key}`} does="POST /api/config" onClick={onEdit} />
      </td>
    </tr>
  )
}

function patience(rule: Reaction['rule']): string {
  const parts = [
    rule.thresholdMs > 0 ? `after ${formatAge(rule.thresholdMs)} of it` : '',
    rule.retries === undefined ? '' : `${rule.retries} tries`,
    rule.escalateAfterAttempts === undefined ? '' : `${rule.escalateAfterAttempts} attempts`,
    rule.escalateAfterMs === undefined ? '' : formatAge(rule.escalateAfterMs),
  ]
  return parts.filter(Boolean).join(', ') || '–'
}

function fieldsFrom(from: Reaction['from'], source: Source): string {
  return Object.entries(from)
    .filter(([, written]) => written === source)
    .map(([field]) => field)
    .join(', ')
}
