// Starts the page.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles.css'
import { App } from './app.tsx'
import { applyTheme, readTheme } from './shell/theme.ts'

applyTheme(readTheme())
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
