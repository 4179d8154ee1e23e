// Summary, model, tokens and cost of a session, from its transcripts and those of its sub-agents.
import type { AgentSessionInfo } from '../../contract/session.ts'
import { addUsage, emptyUsage, type PriceTable, type TokenUsage, totalCost } from '../agent-files/cost/prices.ts'
import type { FoldCache } from '../agent-files/fold-cache.ts'
import { findSubagentTranscripts, type Transcript } from './find-transcripts.ts'
import { type TranscriptState, transcriptFold } from './transcript-fold.ts'

/** A reading ends here and goes on the next time: a list of sessions must not wait for one huge transcript. */
const MAX_BYTES_PER_READING = 32 * 1024 * 1024
const MAX_SUBAGENTS = 500

export async function readInfo(
  transcripts: readonly Transcript[],
  cache: FoldCache,
  prices: PriceTable,
): Promise<AgentSessionInfo | null> {
  const newest = transcripts.at(-1)
  if (!newest) return null
  const ledger = createLedger()
  let current: TranscriptState | null = null
  for (const transcript of transcripts) {
    const folded = await cache.fold(transcript.path, transcriptFold, { maxBytes: MAX_BYTES_PER_READING })
    if (!folded) continue
    if (transcript === newest) current = folded.state
    ledger.complete &&= folded.complete
    await addToLedger(ledger, transcript, folded.state, cache)
  }
  if (!current) return null
  const title = current.givenTitle ?? current.title
  return {
    summary: title ?? current.firstPrompt,
    ...(title === null && current.firstPrompt !== null ? { summaryIsFallback: true } : {}),
    agentSessionId: newest.sessionId,
    ...(current.model === null ? {} : { model: current.model }),
    ...(ledger.complete ? { cost: ledger.cost(prices) } : {}),
    ...(current.lastMessage === null ? {} : { lastMessage: current.lastMessage }),
  }
}

interface Ledger {
  complete: boolean
  add(usage: Record<string, TokenUsage>): void
  addOwnCosts(costs: TranscriptState['ownCosts']): void
  cost(prices: PriceTable): NonNullable<AgentSessionInfo['cost']>
}

/** Where sub-agents have files of their own, what older versions copied into the transcript is not counted again. */
async function addToLedger(
  ledger: Ledger,
  transcript: Transcript,
  state: TranscriptState,
  cache: FoldCache,
): Promise<void> {
  ledger.add(state.usage)
  ledger.addOwnCosts(state.ownCosts)
  const paths = (await findSubagentTranscripts(transcript)).slice(0, MAX_SUBAGENTS)
  let ofSubagents = 0
  for (const path of paths) {
    const folded = await cache.fold(path, transcriptFold, { maxBytes: MAX_BYTES_PER_READING })
    // Files beside the transcript may belong to another session of the same directory.
    if (!folded || folded.state.sessionId !== transcript.sessionId) continue
    ledger.complete &&= folded.complete
    ledger.add(folded.state.usage)
    ledger.add(folded.state.sideUsage)
    ofSubagents++
  }
  if (ofSubagents === 0) ledger.add(state.sideUsage)
}

function createLedger(): Ledger {
  const byModel = new Map<string, TokenUsage>()
  const ownCosts = new Map<string, { usage: TokenUsage; costUsd: number }>()
  return {
    complete: true,
    add(usage) {
      for (const [model, more] of Object.entries(usage)) {
        const total = byModel.get(model) ?? emptyUsage()
        addUsage(total, more)
        byModel.set(model, total)
      }
    },
    addOwnCosts(costs) {
      for (const [model, own] of Object.entries(costs)) ownCosts.set(model, own)
    },
    cost(prices) {
      const rows = [...byModel].map(([model, usage]) => {
        const own = ownCosts.get(model)
        // Claude counts per process: its figure is taken for an unknown model only when it covers every token we saw.
        return { model, usage, ...(own && covers(own.usage, usage) ? { knownCostUsd: own.costUsd } : {}) }
      })
      return totalCost(rows, prices)
    },
  }
}

function covers(whole: TokenUsage, part: TokenUsage): boolean {
  return (Object.keys(part) as Array<keyof TokenUsage>).every((key) => whole[key] >= part[key])
}
