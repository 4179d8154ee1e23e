// Summary, model, tokens and cost of a session, from one pass over its transcripts and those of its sub-agents.
import type { AgentSessionInfo } from '../../contract/session.ts'
import { countField, type JsonObject, listField, objectField, textField } from '../../core/text/json-fields.ts'
import type { Fold, FoldCache } from '../agent-files/fold-cache.ts'
import { addUsage, emptyUsage, type PriceTable, type TokenUsage, totalCost } from '../agent-files/prices.ts'
import { isFrame, promptTitle } from '../agent-files/prompt-title.ts'
import { findSubagentTranscripts, type Transcript } from './find-transcripts.ts'
import { isLocalCommand, promptText } from './turn-events.ts'

/** A reading stops here and continues the next time: a list of sessions must not wait for one huge transcript. */
const MAX_BYTES_PER_READING = 32 * 1024 * 1024
const MAX_SUBAGENTS = 500

/** What it adds to a prompt itself is not spoken. */
export function spokenIn({ type, isMeta, message }: JsonObject): unknown {
  return (type === 'user' || type === 'assistant') && isMeta !== true ? message : null
}

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
  const own = current.title !== null && isFrame(current.title) ? null : current.title
  const title = current.givenTitle ?? own
  return {
    summary: title ?? current.firstPrompt,
    summaryIsFallback: (title === null && current.firstPrompt !== null) || undefined,
    agentSessionId: newest.sessionId,
    model: current.model ?? undefined,
    cost: ledger.complete ? ledger.cost(prices) : undefined,
    lastMessage: current.lastMessage ?? undefined,
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
    // Files next to the transcript may belong to another session of the same directory.
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
        // Claude counts per process: its figure is used for an unknown model only when it covers every token we saw.
        return { model, usage, reportedCostUsd: own && covers(own.usage, usage) ? own.costUsd : undefined }
      })
      return totalCost(rows, prices)
    },
  }
}

function covers(whole: TokenUsage, part: TokenUsage): boolean {
  return (Object.keys(part) as Array<keyof TokenUsage>).every((key) => whole[key] >= part[key])
}

interface TranscriptState {
  sessionId: string | null
  /** The agent's own. */
  usage: Record<string, TokenUsage>
  /** Those of sub-agents that older versions wrote into the same file. */
  sideUsage: Record<string, TokenUsage>
  /** The newest messages already counted: streaming repeats a message once per block. */
  counted: Array<{ id: string; usage: TokenUsage }>
  /** Claude's own figures for what a model has cost, and for how many tokens. */
  ownCosts: Record<string, { usage: TokenUsage; costUsd: number }>
  model: string | null
  title: string | null
  givenTitle: string | null
  firstPrompt: string | null
  lastMessage: string | null
}

const MAX_COUNTED = 64
const MAX_MESSAGE_CHARS = 4_000
/** Claude's name for synthetic messages, such as API errors. */
const NO_MODEL = '<synthetic>'

const transcriptFold: Fold<TranscriptState> = {
  rules: 'claude-transcript-1',
  start: () => ({
    sessionId: null,
    usage: {},
    sideUsage: {},
    counted: [],
    ownCosts: {},
    model: null,
    title: null,
    givenTitle: null,
    firstPrompt: null,
    lastMessage: null,
  }),
  step: (state, record) => {
    state.sessionId ??= textField(record, 'sessionId')
    switch (record.type) {
      case 'assistant':
        return takeAssistant(state, record)
      case 'user':
        return takePrompt(state, record)
      case 'cost-state':
        return takeOwnCosts(state, record)
      case 'summary':
        state.title = textField(record, 'summary') ?? state.title
        return
      case 'ai-title':
        state.title = textField(record, 'aiTitle') ?? state.title
        return
      case 'custom-title':
        state.givenTitle = textField(record, 'customTitle') ?? state.givenTitle
        return
    }
  },
  // Tool results are most of a transcript and irrelevant here.
  wants: (line) => {
    if (line.includes('"usage"') || line.includes('"cost-state"')) return true
    if (line.includes('"role":"user"')) return !line.includes('"tool_result"')
    return line.includes('"summary"') || line.includes('-title"')
  },
}

function takeAssistant(state: TranscriptState, record: JsonObject): void {
  const message = objectField(record, 'message')
  const model = textField(message, 'model')
  const isSide = record.isSidechain === true
  if (!isSide) takeLastMessage(state, message)
  if (model === null || model === NO_MODEL) return
  if (!isSide) state.model = model
  const totals = isSide ? state.sideUsage : state.usage
  totals[model] ??= emptyUsage()
  countOnce(state, totals[model], textField(message, 'id'), usageOf(message))
}

/** Later repeats of a message may report more tokens; only the difference is added. */
function countOnce(state: TranscriptState, total: TokenUsage, id: string | null, usage: TokenUsage): void {
  const counted = id === null ? undefined : state.counted.find((one) => one.id === id)
  for (const key of Object.keys(usage) as Array<keyof TokenUsage>) {
    const more = Math.max(0, usage[key] - (counted?.usage[key] ?? 0))
    total[key] += more
    if (counted) counted.usage[key] += more
  }
  if (counted || id === null) return
  state.counted.push({ id, usage })
  if (state.counted.length > MAX_COUNTED) state.counted.shift()
}

function usageOf(message: JsonObject | null): TokenUsage {
  const usage = objectField(message, 'usage')
  return {
    inputTokens: countField(usage, 'input_tokens'),
    outputTokens: countField(usage, 'output_tokens'),
    cacheReadTokens: countField(usage, 'cache_read_input_tokens'),
    cacheWriteTokens: countField(usage, 'cache_creation_input_tokens'),
    cacheWriteLongTokens: countField(objectField(usage, 'cache_creation'), 'ephemeral_1h_input_tokens'),
  }
}

function takeLastMessage(state: TranscriptState, message: JsonObject | null): void {
  const texts = listField(message, 'content').filter((block) => textField(block, 'type') === 'text')
  const text = texts.map((block) => textField(block, 'text') ?? '').join('\n')
  if (text.trim() !== '') state.lastMessage = text.slice(0, MAX_MESSAGE_CHARS)
}

function takePrompt(state: TranscriptState, record: JsonObject): void {
  if (state.firstPrompt !== null || record.isMeta === true || record.isSidechain === true) return
  const text = promptText(record)?.trim()
  if (text && !isLocalCommand(text) && !text.startsWith('[Request')) state.firstPrompt = promptTitle(text) || null
}

function takeOwnCosts(state: TranscriptState, record: JsonObject): void {
  const models = objectField(record, 'modelUsage') ?? {}
  for (const [model, entry] of Object.entries(models)) {
    state.ownCosts[model] = {
      costUsd: countField(entry, 'costUSD'),
      usage: {
        inputTokens: countField(entry, 'inputTokens'),
        outputTokens: countField(entry, 'outputTokens'),
        cacheReadTokens: countField(entry, 'cacheReadInputTokens'),
        cacheWriteTokens: countField(entry, 'cacheCreationInputTokens'),
        cacheWriteLongTokens: countField(entry, 'cacheCreationEphemeral1hInputTokens'),
      },
    }
  }
}
