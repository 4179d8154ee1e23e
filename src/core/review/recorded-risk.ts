// The risk of a session's pull request, from what its record keeps. Apart from the rest of the record: only cards and lists show it.
import type { SessionRecord } from '../../contract/record.ts'
import { foundTexts, recordedPrFacts } from '../status/recorded-facts.ts'
import { judgeRisk, type Risk } from './judge-risk.ts'

/** Of the pull request with this head, as far as the loop has measured it; anything else counts as unknown. */
export function recordedRisk(record: SessionRecord, head: string | null): Risk {
  const { changedChecks: mark, meets } = record
  const isMeasured = head !== null && mark?.head === head
  return judgeRisk({
    size: (isMeasured && mark.size) || null,
    ownChecks: isMeasured ? mark.paths : null,
    findings: foundTexts(recordedPrFacts(record)),
    conflicts: meets?.filter(({ conflict }) => conflict === true).length ?? null,
  })
}
