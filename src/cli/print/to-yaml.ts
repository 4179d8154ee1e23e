// Data as YAML. In a file of its own, so that only who prints YAML loads the package.
import { stringify } from 'yaml'

export function toYaml(data: unknown): string {
  return stringify(data)
}
