// Data as YAML. In its own file, so that only commands that print YAML load the package.
import { stringify } from 'yaml'

export function toYaml(data: unknown): string {
  return stringify(data)
}
