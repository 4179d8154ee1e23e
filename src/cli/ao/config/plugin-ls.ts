// `ao plugin ls`: the available plugins, and where they come from.
import { SLOT_NAMES } from '../../../contract/ids.ts'
import { EVERYONE } from '../../../core/boundary/rights.ts'
import type { LoadedPlugin } from '../../../slots/registry.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { renderTable } from '../../print/table.ts'
import { openAo } from '../open-ao.ts'

export const pluginLsCommand = defineCommand({
  name: 'plugin ls',
  inside: EVERYONE,
  about: 'List the plugins: what ships with ao and what the configuration names',
  options: { json: JSON_OPTION },
  json: "{ plugins: [{ slot, name, version, description, source: 'built-in' | package | path, loaded, error? }] }",
  async run({ options }, io) {
    const { registry } = await openAo(io)
    const plugins = (await registry.list()).sort(bySlot)
    if (options.json) return void io.json({ plugins: plugins.map(toJson) })
    const lines = renderTable<LoadedPlugin>(
      [
        { title: 'SLOT', text: ({ manifest }) => manifest?.slot ?? '?' },
        { title: 'PLUGIN', text: ({ manifest }) => manifest?.name ?? '?', paint: (text) => io.style.bold(text) },
        { title: 'SOURCE', text: ({ source }) => source, min: 8 },
        {
          title: 'ABOUT',
          text: ({ manifest, error }) => (error ? 'cannot be loaded' : (manifest?.description ?? '')),
          min: 20,
          drop: 1,
        },
      ],
      plugins,
      { width: io.width(), paintTitle: io.style.dim },
    )
    io.printLines(lines)
    for (const { source, error } of plugins) {
      if (error !== undefined) io.note(`${io.noteStyle.yellow('warning:')} ${source}: ${error}`)
    }
  },
})

function bySlot(a: LoadedPlugin, b: LoadedPlugin): number {
  const rank = ({ manifest }: LoadedPlugin) => (manifest ? SLOT_NAMES.indexOf(manifest.slot) : SLOT_NAMES.length)
  return rank(a) - rank(b) || (a.manifest?.name ?? a.source).localeCompare(b.manifest?.name ?? b.source)
}

function toJson({ manifest, source, loaded, error }: LoadedPlugin) {
  const listed = manifest ?? { slot: null, name: null, version: null, description: null }
  return { ...listed, source, loaded, error }
}
