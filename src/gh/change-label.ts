// What can be done to the labels of a project, for `gh label` and `gh api`. A label in use is neither renamed nor deleted:
// that would change other sessions' issues and pull requests behind their backs.

import { trackerOf } from '../cli/ao/pr/open-forge.ts'
import {
  allLabels,
  createLabelStore,
  describeLabel,
  findLabel,
  type LabelStore,
  type LocalLabel,
} from '../forge/label-store.ts'
import { hasName, sameName } from '../forge/pulls/name-list.ts'
import { isLocalTracker } from '../forge/types.ts'
import { GhError } from './gh-error.ts'
import type { Gh } from './open-gh.ts'

export class LabelExistsError extends GhError {}
export class LabelNotFoundError extends GhError {}

export async function listLabels(gh: Gh): Promise<LocalLabel[]> {
  return allLabels(
    storeOf(gh).list(),
    (await carriers(gh)).flatMap(({ labels }) => labels),
  )
}

export async function createLabel(gh: Gh, label: LocalLabel, { force }: { force: boolean }): Promise<void> {
  await storeOf(gh).change((labels) => {
    const existing = findLabel(labels, label.name)
    if (existing && !force)
      throw new LabelExistsError(
        `label with name "${label.name}" already exists; use \`--force\` to update its color and description`,
      )
    return existing
      ? labels.map((one) => (one === existing ? { ...label, name: existing.name } : one))
      : [...labels, label]
  })
}

export async function editLabel(
  gh: Gh,
  name: string,
  change: { name?: string | undefined; color?: string | undefined; description?: string | undefined },
): Promise<LocalLabel> {
  const existing = await requireLabel(gh, name)
  const label = describeLabel({
    name: change.name ?? existing.name,
    color: change.color ?? existing.color,
    description: change.description ?? existing.description,
  })
  if (label.name !== existing.name) await requireUnused(gh, existing.name, 'renamed')
  await storeOf(gh).change((labels) => {
    if (sameName(label.name) !== sameName(existing.name) && findLabel(labels, label.name))
      throw new LabelExistsError(`label with name "${label.name}" already exists`)
    return [...labels.filter((one) => sameName(one.name) !== sameName(existing.name)), label]
  })
  return label
}

export async function deleteLabel(gh: Gh, name: string): Promise<void> {
  const existing = await requireLabel(gh, name)
  await requireUnused(gh, existing.name, 'deleted')
  await storeOf(gh).change((labels) => labels.filter((one) => sameName(one.name) !== sameName(existing.name)))
}

export async function requireLabel(gh: Gh, name: string): Promise<LocalLabel> {
  const found = findLabel(await listLabels(gh), name)
  if (found) return found
  throw new LabelNotFoundError(`could not find label "${name}"`)
}

function storeOf({ forge }: Gh): LabelStore {
  return createLabelStore(forge.projectDir)
}

async function requireUnused(gh: Gh, name: string, what: 'renamed' | 'deleted'): Promise<void> {
  const users = (await carriers(gh)).filter(({ labels }) => hasName(labels, name)).map(({ where }) => where)
  if (users.length === 0) return
  const some = `${users.slice(0, 5).join(', ')}${users.length > 5 ? ` and ${users.length - 5} more` : ''}`
  throw new GhError(`the label "${name}" cannot be ${what} while it is in use: ${some}; remove it there first`)
}

async function carriers(gh: Gh): Promise<Array<{ where: string; labels: string[] }>> {
  const pulls = gh.forge.pulls.list().map(({ number, labels }) => ({ where: `pull request ${number}`, labels }))
  const choice = gh.project.tracker ?? gh.config.plugins.tracker?.name
  const tracker = choice === undefined ? null : await trackerOf(gh)
  if (!isLocalTracker(tracker)) return pulls
  const { issues } = await tracker.issues(gh.project).list()
  return [...issues.map(({ number, labels }) => ({ where: `issue ${number}`, labels })), ...pulls]
}
