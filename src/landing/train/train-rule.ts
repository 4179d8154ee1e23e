// What the configuration says about a project's train.
import type { ProjectConfig } from '../../contract/config.ts'
import type { MergeMethod } from '../../contract/forges.ts'
import type { TrainRule } from './step-train.ts'

export function trainRule(
  { landing }: Pick<ProjectConfig, 'landing'>,
  { merge }: { merge: MergeMethod },
): { rule: TrainRule; method: MergeMethod } {
  const { batch = 4, order = 'safe', priority = [], method = merge, freeze } = landing ?? {}
  return { rule: { batch, order, priority, freeze }, method }
}
