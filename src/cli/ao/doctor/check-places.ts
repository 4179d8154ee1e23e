// Whether the places of the configuration can be used, and what runs there that no session knows.
import { type Finding, failedCheck } from '../../print/findings.ts'
import type { Ao } from '../open-ao.ts'

export async function checkPlaces(ao: Ao): Promise<Finding[]> {
  const places = (await ao.manager.listPlaces()).filter(({ name }) => Object.hasOwn(ao.config.places ?? {}, name))
  const checked = await Promise.all(places.map(({ name, full }) => checkPlace(ao, name, full)))
  return checked.flat()
}

async function checkPlace(ao: Ao, place: string, full: string | null): Promise<Finding[]> {
  const name = `place ${place}`
  try {
    const detail = await ao.manager.testPlace(place)
    const level = full === null ? 'pass' : 'warn'
    const found: Finding = { level, name, detail: full === null ? detail : `${detail}; ${full}` }
    return [found, ...(await strangers(ao, place))]
  } catch (error) {
    return [failedCheck(name, error)]
  }
}

/** Started by this ao, and no record names it: what a command left that was killed. */
async function strangers({ registry, paths, manager }: Ao, place: string): Promise<Finding[]> {
  const runtime = await registry.load('runtime', place)
  const names = (await runtime.listNames?.()) ?? []
  const recorded = new Set((await manager.list()).map(({ id }) => `${paths.hash}-${id}`))
  const left = names.filter((name) => name.startsWith(`${paths.hash}-`) && !recorded.has(name))
  if (left.length === 0) return []
  return [{ level: 'warn', name: `place ${place}`, detail: `unmanaged workloads there: ${left.join(', ')}` }]
}
