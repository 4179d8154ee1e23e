// A session by the name that a person gave it with `ao session rename`, where a command takes an id. What agents and tasks call
// a session is no reference: they choose that text.
import { AoError } from '../../contract/errors.ts'
import { findActive, findArchived } from '../../manager/context.ts'
import type { StoredSession } from '../../store/session/session-store.ts'
import type { Io } from '../print/io.ts'
import { openAo } from './open-ao.ts'

/** null: no session is called so. */
export async function findByName(name: string, io: Io): Promise<string | null> {
  const { context } = await openAo(io)
  if (findActive(context, name) ?? findArchived(context, name)) return null
  const stores = Object.keys(context.config.projects).map((id) => context.store(id))
  const called = (all: readonly StoredSession[]) =>
    all.flatMap(({ id, record }) => (record.pinnedSummary === name ? [id] : []))
  const active = stores.flatMap((store) => called(store.readAll()))
  const found = active.length > 0 ? active : stores.flatMap((store) => called(store.readAllArchived()))
  if (found.length <= 1) return found[0] ?? null
  throw new AoError('USAGE', `${found.length} sessions are called ${name}: ${found.join(', ')}`, { hint: 'Use its id' })
}
