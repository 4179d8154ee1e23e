// `npm run docs`: builds the pages as a static site with search in site/, with llms.txt and every page as Markdown.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { llmsText, ROOT, readGroups } from './pages.mjs'

const HERE = import.meta.dirname
const OUT = join(ROOT, 'site')
/** Copies, because the generator wants the pages beside its own packages. */
const PAGES = join(HERE, 'pages')
const GENERATOR = join(HERE, 'node_modules/vitepress/bin/vitepress.js')

if (!existsSync(GENERATOR)) run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'])
rmSync(PAGES, { recursive: true, force: true })
for (const name of ['docs', ...readdirSync(ROOT).filter((file) => file.endsWith('.md'))]) {
  cpSync(join(ROOT, name), join(PAGES, name), { recursive: true })
}
run(process.execPath, [GENERATOR, 'build', HERE])

cpSync(join(ROOT, 'docs/images'), join(OUT, 'docs/images'), { recursive: true })
for (const { path } of readGroups().flatMap(({ pages }) => pages)) cpSync(join(ROOT, path), join(OUT, path))
writeFileSync(join(OUT, 'llms.txt'), llmsText())
console.log(`docs: ${OUT}; look at it with: npx serve site`)

function run(program, args) {
  const { status, error } = spawnSync(program, args, { cwd: HERE, stdio: 'inherit' })
  if (status === 0) return
  console.error(`docs: ${program} ${args[0]} failed${error ? `: ${error.message}` : ''}`)
  process.exit(1)
}
