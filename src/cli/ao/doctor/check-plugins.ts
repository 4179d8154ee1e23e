// Whether the configured plugins can work here. Others that cannot are not a problem.
import type { SlotName } from '../../../contract/config.ts'
import { chosenPlugins } from '../../../core/session/chosen-plugins.ts'
import type { DetectedPlugin } from '../../../slots/registry.ts'
import { detectedFinding, type Finding } from '../../print/findings.ts'
import type { Ao } from '../open-ao.ts'

/** Agents, forges and trackers have checks of their own. */
const SLOTS: readonly SlotName[] = ['runtime', 'workspace', 'notifier', 'terminal']

export async function checkPlugins(ao: Ao): Promise<Finding[]> {
  const broken = (await ao.registry.list()).filter(({ error }) => error !== undefined)
  const findings: Finding[] = broken.map(({ manifest, source, error }) => ({
    level: 'fail',
    name: `plugin ${manifest?.name ?? source}`,
    detail: error ?? '',
    fix: 'See: ao plugin ls',
  }))
  const chosen = chosenPlugins(ao.config)
  for (const slot of SLOTS) {
    const names = new Set(chosen.filter((one) => one.slot === slot).map(({ name }) => name))
    findings.push(...judgeSlot(slot, await ao.registry.detect(slot), names))
  }
  return findings
}

function judgeSlot(slot: SlotName, detected: DetectedPlugin[], chosen: Set<string>): Finding[] {
  const level = slot === 'notifier' || slot === 'terminal' ? 'warn' : 'fail'
  const names = detected.map(({ name }) => name)
  const unknown = [...chosen]
    .filter((name) => !names.includes(name))
    .map((name): Finding => {
      const fix = `Choose one of them in the configuration; see them all with: ao plugin ls`
      return { level, name: `${slot} ${name}`, detail: `there is no such ${slot}; there are: ${names.join(', ')}`, fix }
    })
  return [
    ...unknown,
    ...detected
      .filter(({ name }) => chosen.has(name))
      .map((found) => detectedFinding(`${slot} ${found.name}`, found, level)),
  ]
}
