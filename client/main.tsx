/** Entry point of the dashboard. */
import './lib/browser/style-nonce.ts'
import { createRoot } from 'react-dom/client'
import { App } from './app/App.tsx'
import './styles.css'

const root = document.getElementById('root')
if (root) createRoot(root).render(<App />)
