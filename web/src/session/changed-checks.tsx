// What speaks for or against a change before anybody reads it: it touches what it is judged by, its tests prove something or
// nothing, some of its lines never ran.
import type { SessionCard } from '../../../src/contract/dashboard/cards.ts'
import { riskLines } from '../../../src/core/review/judge-risk.ts'
import { visibleText } from '../../../src/core/text/visible-text.ts'
import { TONE_TEXT, type Tone } from '../ui/badge.tsx'
import { Icon, type IconName } from '../ui/icon.tsx'
import { Visible } from '../ui/text/visible.tsx'

const MOST_SHOWN = 10

export function ChangedChecks({ paths }: { paths: readonly string[] }) {
  if (paths.length === 0) return null
  const more = paths.length - MOST_SHOWN
  const list = [...paths.slice(0, MOST_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
  return (
    <span title={visibleText(list)} className="flex min-w-0 items-center gap-1 text-attention">
      <Icon name="warning" className="size-3 shrink-0" />
      <span className="truncate">
        changes its own checks: <Visible text={paths[0]!} />
        {paths.length > 1 && ` and ${paths.length - 1} more`}
      </span>
    </span>
  )
}

/** How much it can break, as a number; what it is made of is in the list or the title. */
export function RiskFact({ risk, isList = false }: { risk: SessionCard['risk']; isList?: boolean }) {
  if (!risk) return null
  const lines = riskLines(risk)
  return (
    <span title={visibleText(lines.join('\n'))} className="flex min-w-0 flex-col">
      <span className={`flex min-w-0 items-center ${isList ? 'gap-2' : 'gap-1'}`}>
        <Icon name="radar" className={`shrink-0 ${isList ? 'size-4' : 'size-3'}`} />
        <span className="truncate">
          {isList ? 'Risk' : 'risk'} {risk.score} of 100 · {risk.minutes} min
        </span>
      </span>
      {isList &&
        lines.map((line) => (
          <span key={line} className="pl-6 text-xs break-words text-muted">
            <Visible text={line} />
          </span>
        ))}
    </span>
  )
}

const LOOKS: Record<string, { tone: Tone; icon: IconName }> = {
  witnessed: { tone: 'good', icon: 'check' },
  covered: { tone: 'good', icon: 'check' },
  weakened: { tone: 'bad', icon: 'warning' },
  red: { tone: 'bad', icon: 'cross' },
  none: { tone: 'neutral', icon: 'info' },
}
const DOUBTFUL = { tone: 'attention', icon: 'warning' } as const

/** What checks found out about the change, one line each. */
export function Findings({ findings }: { findings: SessionCard['findings'] }) {
  return findings.map(({ verdict, text }) => {
    const { tone, icon } = LOOKS[verdict] ?? DOUBTFUL
    return (
      <span key={text} title={visibleText(text)} className={`flex min-w-0 items-center gap-1 ${TONE_TEXT[tone]}`}>
        <Icon name={icon} className="size-3 shrink-0" />
        <span className="truncate">
          <Visible text={text} />
        </span>
      </span>
    )
  })
}
