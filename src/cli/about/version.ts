// `ao version` and `agh version`: what --version prints, and the runtime it uses.

import { EVERYONE } from '../../core/boundary/rights.ts'
import { AO_VERSION } from '../../lib/version.ts'
import { defineCommand, JSON_OPTION } from '../command.ts'

export function versionCommandOf(program: 'ao' | 'agh') {
  return defineCommand({
    program: program === 'agh' ? program : undefined,
    name: 'version',
    inside: EVERYONE,
    about: 'Print the version, and what it runs on',
    options: { json: JSON_OPTION },
    json: '{ version, node, platform }',
    async run({ options }, io) {
      const platform = `${process.platform}-${process.arch}`
      if (options.json) io.json({ version: AO_VERSION, node: process.versions.node, platform })
      else io.print(`${program} ${AO_VERSION}, Node ${process.versions.node}, ${platform}`)
      return 0
    },
  })
}
