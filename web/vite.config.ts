// Builds the dashboard's page into dist/web. Nothing inline: the server's content security policy forbids it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { drawAppIcon } from './app-icon.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

export default defineConfig({
  root: path('.'),
  publicDir: false,
  plugins: [react(), tailwindcss(), tabIcons(), installable()],
  resolve: {
    // Its version for browsers makes markup out of text, which the server's policy forbids.
    alias: {
      'decode-named-character-reference': path('../node_modules/decode-named-character-reference/index.js'),
    },
  },
  build: {
    outDir: path('../dist/web'),
    emptyOutDir: false,
    target: 'es2024',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // On a loaded machine everything is slow; that is no news.
      checks: { bundlerTimings: false },
      // What the page shares with the server only declares: of schemas and tables, nothing is loaded that the page does not use.
      treeshake: { moduleSideEffects: (id) => !/\/src\/(?:contract|core)\//.test(id), manualPureFunctions: ['z'] },
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'vendor',
              test: /node_modules\/(?:react|react-dom|scheduler|@tanstack|wouter|regexparam|zod|use-sync-external-store)\//,
            },
            { name: 'shared', test: /\/src\//, minShareCount: 4 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: process.env.AO_DASHBOARD ?? 'http://127.0.0.1:3000', ws: true } } },
})

/** icon-0.svg to icon-9.svg and icon-more.svg: files, because a drawn icon would need data: in the policy. */
function tabIcons(): Plugin {
  const names = [...Array(10).keys(), 'more'].map(String)
  return {
    name: 'tab-icons',
    generateBundle() {
      for (const name of names) this.emitFile({ type: 'asset', fileName: `icon-${name}.svg`, source: drawIcon(name) })
    },
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const name = /^\/icon-(\w+)\.svg$/.exec(request.url ?? '')?.[1]
        if (name === undefined) return next()
        response.setHeader('content-type', 'image/svg+xml').end(drawIcon(name))
      })
    },
  }
}

/** What makes it an app on a phone: a manifest, icons, and a worker for notifications. */
function installable(): Plugin {
  const icon = (size: number) => `app-icon-${size}.png`
  const manifest = {
    name: 'ao',
    short_name: 'ao',
    description: 'Coding agents and who of them needs you',
    start_url: '/queue',
    scope: '/',
    display: 'standalone',
    background_color: '#f7f7f4',
    theme_color: '#f7f7f4',
    icons: [192, 512].map((size) => ({
      src: `/${icon(size)}`,
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose: 'any maskable',
    })),
  }
  return {
    name: 'installable',
    generateBundle() {
      const emit = (fileName: string, source: string | Uint8Array) => this.emitFile({ type: 'asset', fileName, source })
      for (const size of [192, 512]) emit(icon(size), drawAppIcon(size))
      emit('app.webmanifest', JSON.stringify(manifest))
      emit('service-worker.js', readFileSync(path('service-worker.js')))
    },
  }
}

function drawIcon(name: string): string {
  const ring = '<circle cx="16" cy="16" r="10.5" fill="none" stroke="#3d63dd" stroke-width="5"/>'
  const dot = '<circle cx="16" cy="16" r="3.5" fill="#3d63dd"/>'
  const count = name === 'more' ? '9+' : name
  const badge = `<rect x="${name === 'more' ? 8 : 12}" y="11" width="${name === 'more' ? 24 : 20}" height="21" rx="7" fill="#c2410c"/><text x="${name === 'more' ? 20 : 22}" y="27.5" text-anchor="middle" font-family="system-ui, sans-serif" font-weight="700" font-size="17" fill="#fff">${count}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${ring}${dot}${name === '0' ? '' : badge}</svg>`
}
