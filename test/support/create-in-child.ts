// Runs `create` of a runtime in a process of its own, so that a test can kill that process at any moment.
// Arguments: the plugin's file, and a file with {"context": …, "launches": […]}. Prints `ready`, then one handle per line.
import { readFileSync } from 'node:fs'
import { silentLog } from '../../src/lib/log.ts'
import type { Plugin } from '../../src/slots/plugin.ts'
import type { RuntimeLaunch } from '../../src/slots/runtime.ts'

const [pluginFile, jobFile] = process.argv.slice(2)
const { plugin } = (await import(pluginFile!)) as { plugin: Plugin<'runtime'> }
const job = JSON.parse(readFileSync(jobFile!, 'utf8'))
const runtime = plugin.create({}, { ...job.context, log: silentLog })
process.stdout.write('ready\n')
await Promise.all(
  (job.launches as RuntimeLaunch[]).map(async (launch) => {
    const handle = await runtime.create(launch)
    process.stdout.write(`${JSON.stringify(handle)}\n`)
  }),
)
