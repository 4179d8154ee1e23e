// Does what a key of the terminal board stands for, with the operations of the commands and the page.
import type { Intent, Opening } from '../../../core/board/board-state.ts'
import { rewoundLines } from '../../../core/session/rewound-lines.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { readLine } from '../attend/read-key.ts'
import type { Ao } from '../open-ao.ts'

/** What changes something; the rest is about the screen. */
export type Change = Exclude<Intent, { kind: 'quit' | 'join' | 'own' | Opening['kind'] }>

export function isOpening(intent: Intent): intent is Opening {
  return OPENINGS.has(intent.kind)
}

const OPENINGS: ReadonlySet<string> = new Set<Opening['kind']>(['diff', 'turns', 'search', 'log'])

const SNOOZE_MS = 3_600_000

export type OwnIntent = Extract<Intent, { kind: 'own' }>

/** Returns what was done, in a few words. */
export async function carryOut(ao: Ao, io: Io, change: Change): Promise<string> {
  const { manager, paths, context } = ao
  if (!('sessionId' in change)) {
    const { pressRedButton } = await import('./red-button.ts')
    return pressRedButton({ manager, context }, change.kind)
  }
  const { sessionId } = change
  switch (change.kind) {
    case 'answer': {
      const { requestId, askedAt, optionId, name } = change
      await manager.answerPermission(sessionId, { requestId, askedAt, optionId, by: 'ao top' })
      return `${sessionId}: ${name}`
    }
    case 'send': {
      const { level, why } = await manager.deliver(sessionId, change.text, { source: 'user', byPerson: true })
      return `${sessionId}: ${level.replace('_', ' ')}${why ? `, ${why}` : ''}`
    }
    case 'interrupt':
      await manager.stopTurn(sessionId)
      return `${sessionId}: its turn was stopped`
    case 'kill':
      await manager.kill(sessionId, { keepWorkspace: true })
      return `${sessionId} was ended; its work is kept, b brings it back`
    case 'restore':
      await manager.restore(sessionId)
      return `${sessionId} was brought back`
    case 'rewind': {
      const rewound = await manager.rewind(sessionId, { to: change.turn })
      return [`${sessionId} is back at turn ${change.turn}; u undoes it`, ...rewoundLines(rewound).map(toOneLine)].join(
        '. ',
      )
    }
    case 'undo': {
      const { undoOperation } = await import('../history/undo.ts')
      return `undone: ${(await undoOperation(ao, io, change.operation)).join('. ')}`
    }
    case 'pin': {
      const { readSaved, pin, unpin } = await import('../../../store/saved.ts')
      const isPinned = readSaved(paths).pins.some(({ session }) => session === sessionId)
      await (isPinned ? unpin(paths, sessionId) : pin(paths, sessionId, null))
      return `${sessionId} is ${isPinned ? 'not pinned' : 'pinned'}`
    }
    case 'snooze':
      await manager.snooze(sessionId, { until: new Date(context.clock.now().getTime() + SNOOZE_MS), need: change.need })
      return `${sessionId}: put off for an hour`
    case 'approve':
    case 'request': {
      const { giveVerdict } = await import('./give-verdict.ts')
      return giveVerdict(context, change)
    }
    case 'merge': {
      const { requireShown } = await import('./give-verdict.ts')
      requireShown(context, change)
      return `${sessionId}: ${(await manager.merge(sessionId, change.sha)).boarded ? 'aboard the train' : 'merged'}`
    }
  }
}

/** In this terminal, in the person's directory; what a repository's file names needs their consent. */
export async function runOwn(ao: Ao, { name, argv }: OwnIntent, io: Io): Promise<string> {
  const { untrustedItems, refuseUntrusted } = await import('../../../config/trust/trust.ts')
  const items = untrustedItems(ao.config, { home: ao.paths.home, env: io.env, kinds: ['agent-command'] })
  refuseUntrusted(
    ao.config.configPath,
    items.filter(({ at }) => at[0] === 'actions' && at[1] === name),
  )
  const { inTerminal } = await import('../../run-own-command.ts')
  const [program = '', ...args] = argv
  const code = await inTerminal(program, args, io.env)
  await readLine(io, `${name} ended with ${code}; enter goes back `)
  return `${name}: ended with ${code}`
}
