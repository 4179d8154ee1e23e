// The YAML package for front matter, in its own file so that it is loaded only when an issue is read or written.
import { parse, stringify } from 'yaml'
import type { Yaml } from './issue-file.ts'

export const frontMatterYaml: Yaml = { parse: (text) => parse(text), stringify: (value) => stringify(value) }
