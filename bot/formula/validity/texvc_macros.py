"""What a wiki's math language (texvc) knows: the macros by the arguments they take, and what stands for those it refuses.

From the published list of supported commands and from recorded verdicts of a server; all else is refused.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ONE_ARGUMENT = _set(
    "acute bar bcancel bmod boldsymbol breve cancel check ddot dot emph grave hat hphantom mathcal mathclose mathfrak mathit mathopen mathord "
    "mathpunct mathsf mathtt overleftarrow overleftrightarrow overline overrightarrow phantom pmod sqrt textbf textit textrm textsf texttt tilde "
    "underline vec vphantom widehat widetilde xcancel mathbb mathbf mathbin mathop mathrel mathrm operatorname overbrace underbrace xleftarrow "
    "xrightarrow bold Bbb"
)
OPTIONAL = _set("sqrt xleftarrow xrightarrow")
TWO_ARGUMENTS = _set("binom cancelto cfrac dbinom dfrac frac overset stackrel tbinom tfrac underset sideset")
INFIX = _set("atop choose over")
DECLARATIONS = _set("rm it cal bf")
BOXES = _set("text mbox hbox vbox")
BIG = _set("big Big bigg Bigg bigl Bigl biggl Biggl bigr Bigr biggr Biggr")
DELIMITERS = _set(
    "Downarrow Uparrow Updownarrow Vert backslash downarrow langle lbrace lbrack lceil lfloor llcorner lrcorner rangle rbrace rbrack rceil rfloor "
    "rightleftharpoons twoheadleftarrow twoheadrightarrow ulcorner uparrow updownarrow urcorner vert Darr Uarr dArr darr lang rang uArr uarr"
)
ENVIRONMENTS = _set(
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases array align aligned alignat alignedat"
)

_FUNCTIONS = (
    "Pr arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf limsup ln log max min sec sin sinh sup tan tanh "
    "arccot arccsc arcsec sen sgn injlim projlim varinjlim varliminf varlimsup varprojlim mod"
)
_LETTERS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega omicron "
    "Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega Alpha Beta Epsilon Zeta Eta Iota Kappa Mu Nu Omicron Rho Tau Chi "
    "varepsilon vartheta varkappa varpi varrho varsigma varphi varDelta varGamma varLambda varOmega varPhi varPi varSigma varTheta varUpsilon varXi "
    "digamma aleph beth gimel daleth Bbbk Finv Game Im Re ell eth hbar hslash imath jmath mho wp complement partial nabla infty emptyset varnothing "
    "AA Coppa Digamma Koppa Sampi Stigma coppa koppa sampi stigma varstigma varcoppa euro geneuro geneuronarrow geneurowide officialeuro "
    "textvisiblespace circledS P S"
)
_SIGNS = (
    "amalg ast backepsilon backprime barwedge bigcirc bigstar blacklozenge blacksquare blacktriangle blacktriangledown blacktriangleleft "
    "blacktriangleright bot boxdot boxminus boxplus boxtimes bullet cap cup Cap Cup cdot centerdot circ circledast circledcirc circleddash clubsuit "
    "coprod curlyvee curlywedge dagger ddagger diamond diamondsuit div divideontimes dotplus doublebarwedge flat heartsuit intercal land lor lnot neg "
    "leftthreetimes rightthreetimes lozenge ltimes rtimes mp pm natural odot ominus oplus oslash otimes prime setminus sharp smallsetminus spadesuit "
    "sqcap sqcup square star surd times top triangle triangledown uplus vartriangle vee veebar wedge wr Box Diamond And angle measuredangle "
    "sphericalangle diagdown diagup checkmark exists forall nexists "
    "bigcap bigcup bigodot bigoplus bigotimes bigsqcup bigtriangledown bigtriangleup biguplus bigvee bigwedge sum prod int iint iiint iiiint oint oiint "
    "oiiint ointctrclockwise varointclockwise intbar "
    "cdots ddots dots dotsb dotsc dotsi dotsm dotso ldots vdots colon quad qquad limits nolimits displaystyle textstyle scriptstyle "
    "scriptscriptstyle not vline"
)
_RELATIONS = (
    "approx approxeq asymp backsim backsimeq because between bowtie Bumpeq bumpeq circeq cong curlyeqprec curlyeqsucc dashv doteq doteqdot eqcirc "
    "eqsim eqslantgtr eqslantless equiv fallingdotseq frown geq geqq geqslant gg ggg gnapprox gneq gneqq gnsim gtrapprox gtrdot gtreqless gtreqqless "
    "gtrless gtrsim gvertneqq in leq leqq leqslant lessapprox lessdot lesseqgtr lesseqqgtr lessgtr lesssim ll lll lnapprox lneq lneqq lnsim lvertneqq "
    "mid models ncong neq ngeq ngeqq ngeqslant ngtr ni nleq nleqq nleqslant nless nmid notin nparallel nprec npreceq nshortmid nshortparallel nsim "
    "nsubseteq nsubseteqq nsucc nsucceq nsupseteq nsupseteqq ntriangleleft ntrianglelefteq ntriangleright ntrianglerighteq nVDash nVdash nvDash nvdash "
    "parallel perp pitchfork prec precapprox preccurlyeq preceq precnapprox precneqq precnsim precsim propto risingdotseq shortmid shortparallel sim "
    "simeq smallfrown smallsmile smile sqsubset sqsubseteq sqsupset sqsupseteq Subset subset subseteq subseteqq subsetneq subsetneqq succ succapprox "
    "succcurlyeq succeq succnapprox succneqq succnsim succsim Supset supset supseteq supseteqq supsetneq supsetneqq therefore thickapprox thicksim "
    "triangleleft trianglelefteq triangleq triangleright trianglerighteq varpropto varsubsetneq varsubsetneqq varsupsetneq varsupsetneqq "
    "vartriangleleft vartriangleright Vdash vDash vdash Vvdash lVert rVert"
)
_ARROWS = (
    "circlearrowleft circlearrowright curvearrowleft curvearrowright downdownarrows downharpoonleft downharpoonright gets hookleftarrow hookrightarrow "
    "iff implies Leftarrow leftarrow leftarrowtail leftharpoondown leftharpoonup leftleftarrows Leftrightarrow leftrightarrow leftrightarrows "
    "leftrightharpoons leftrightsquigarrow Lleftarrow Longleftarrow longleftarrow Longleftrightarrow longleftrightarrow longmapsto Longrightarrow "
    "longrightarrow looparrowleft looparrowright Lsh mapsto multimap nearrow nLeftarrow nleftarrow nLeftrightarrow nleftrightarrow nRightarrow "
    "nrightarrow nwarrow Rightarrow rightarrow rightarrowtail rightharpoondown rightharpoonup rightleftarrows rightrightarrows rightsquigarrow "
    "Rrightarrow Rsh searrow swarrow to upharpoonleft upharpoonright upuparrows"
)
# Second names that wikis have always known.
_ALIASES = (
    "C H N Q R Z cnums Complex natnums reals Reals real alef alefsym and or ang bull clubs Dagger diamonds Doteq doublecap doublecup empty exist ge "
    "gggtr gt hAar hArr Harr harr hearts image infin isin larr Larr lArr le llless lrarr Lrarr lrArr lt ne O owns plusmn rarr Rarr rArr restriction "
    "sdot sect spades sub sube supe thetasym weierp"
)
NO_ARGUMENT = frozenset().union(*map(_set, (_FUNCTIONS, _LETTERS, _SIGNS, _RELATIONS, _ARROWS, _ALIASES)))

# Control symbols that are a sign or a space by themselves, and those that are delimiters.
ESCAPED = frozenset(", ;!_#%$&")
ESCAPED_DELIMITERS = frozenset("{}|")

KNOWN = (
    ONE_ARGUMENT
    | TWO_ARGUMENTS
    | INFIX
    | DECLARATIONS
    | BOXES
    | BIG
    | DELIMITERS
    | NO_ARGUMENT
    | _set("left right begin end color pagecolor definecolor hline")
)
