// Turns of agents, from what the rounds of the loop see: as exact as these are frequent. Pure.

export interface SeenSession {
  id: string
  project: string
  agent: string
  model: string | null
  /** null: not known now, which ends nothing. */
  isActive: boolean | null
  /** Since the agent started; null: it reports nothing. */
  usage: TurnUsage | null
}

export interface TurnUsage {
  /** With what was read from a cache. */
  inputTokens: number
  outputTokens: number
  costUsd: number | null
}

export interface OpenTurn {
  sinceMs: number
  before: TurnUsage | null
}

export interface EndedTurn {
  session: SeenSession
  startMs: number
  /** null: nothing was reported. */
  used: TurnUsage | null
}

export interface FoldedTurns {
  open: Map<string, OpenTurn>
  ended: EndedTurn[]
}

/** Sessions that were not seen stay as they were. */
export function foldTurns(
  open: ReadonlyMap<string, OpenTurn>,
  sessions: readonly SeenSession[],
  nowMs: number,
): FoldedTurns {
  const next = new Map(open)
  const ended: EndedTurn[] = []
  for (const session of sessions) {
    const turn = next.get(session.id)
    if (session.isActive && turn === undefined) next.set(session.id, { sinceMs: nowMs, before: session.usage })
    if (session.isActive !== false || turn === undefined) continue
    next.delete(session.id)
    ended.push({ session, startMs: turn.sinceMs, used: usedSince(turn.before, session.usage) })
  }
  return { open: next, ended }
}

/** A restarted agent may count from zero again. */
function usedSince(before: TurnUsage | null, now: TurnUsage | null): TurnUsage | null {
  if (now === null) return null
  const { inputTokens, outputTokens, costUsd } = before ?? { inputTokens: 0, outputTokens: 0, costUsd: 0 }
  const grew = (later: number, earlier: number) => (later >= earlier ? later - earlier : later)
  return {
    inputTokens: grew(now.inputTokens, inputTokens),
    outputTokens: grew(now.outputTokens, outputTokens),
    costUsd: now.costUsd === null ? null : grew(now.costUsd, costUsd ?? 0),
  }
}

/** Whose model it is, by the names of OpenTelemetry; what is not listed is left out rather than guessed. */
const PROVIDERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^claude\b/, 'anthropic'],
  [/^(?:gpt|o[1-9]|codex)\b/, 'openai'],
  [/^gemini\b/, 'gcp.gemini'],
]

/** The conventions for generative AI; there is none for cost yet. */
export function turnAttributes({ session, used }: EndedTurn) {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': PROVIDERS.find(([names]) => names.test(session.model ?? ''))?.[1],
    'gen_ai.agent.name': session.agent,
    'gen_ai.conversation.id': session.id,
    'gen_ai.request.model': session.model ?? undefined,
    'gen_ai.usage.input_tokens': used?.inputTokens,
    'gen_ai.usage.output_tokens': used?.outputTokens,
    'ao.cost.usd': used?.costUsd ?? undefined,
    'ao.project': session.project,
    'ao.session': session.id,
  }
}
