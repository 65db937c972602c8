"""More made-up films for the embedded engine: a zoo, a train ride, a market and a castle, each asked in many ways."""

from __future__ import annotations

import pytest
from test_embedded_answers import ask, film

from vesta_ui.roles.embedded.facts import Fact
from vesta_ui.roles.embedded.weigh import weigh

ZOO = film(
    """
    0-4 P a white sign in the centre reads “HILLSIDE ZOO”; the picture is mostly green
    0-5 S This is Hillside Zoo, and our keeper for the morning is Tomas.
    6-12 S He begins with the penguins, who eat twenty kilos of herring a day.
    6-12 P a blue sign at the top reads “PENGUINS / FEEDING 10:15”; the picture is mostly blue and grey
    13-18 S Penguin number seven has a broken wing, so he is fed by hand.
    20-26 S Next door, the otters are asleep. They only wake up after lunch.
    20-26 P a brown sign at the left reads “OTTERS / FEEDING 14:00”; the picture is mostly green
    27-33 S Tomas cleans the elephant house. It takes two hours, and three tonnes of straw.
    27-33 P a red sign at the top reads “ELEPHANTS / KEEP BACK”; the picture is mostly brown
    35-40 S A school class arrives, thirty-two children and two teachers.
    36-40 P a yellow rectangle at the bottom right; the yellow rectangle moves left to right; the picture is mostly grey and green
    41-46 S The penguins again: time for the second feed.
    41-46 P a blue sign at the top reads “PENGUINS / FEEDING 10:15”; the picture is mostly blue and grey
    47-53 S The keeper used to be a baker before he came here.
    54-60 S The new lion is called Bruno. He came from Lisbon, not from Africa.
    54-60 P a green sign at the right reads “LIONS / DO NOT FEED”; the picture is mostly yellow and brown
    61-66 S A ticket costs eight pounds for adults and five for children.
    61-66 P a white sign in the centre reads “TICKETS / ADULTS 8 / CHILDREN 5 / FAMILY 22”; the picture is mostly white
    67-72 S And for the third time today we end at the penguins.
    67-72 P a blue sign at the top reads “PENGUINS / FEEDING 10:15”; the picture is mostly blue and grey
    """
)

TRAIN = film(
    """
    0-5 S We leave Dunmore station on the early train, at ten past six.
    1-5 P a black sign at the top reads “DUNMORE / PLATFORM 2”; the picture is mostly grey
    6-11 S The first bridge is made of iron and painted dark red.
    12-17 P a red rectangle at the left; the red rectangle moves right to left; the picture is mostly green
    12-17 S A tractor crosses the field.
    18-24 S At Alder Junction a man sells hot chestnuts for two euros a bag.
    18-24 P a black sign at the top reads “ALDER JUNCTION”; a orange circle in the centre; the picture is mostly grey
    25-31 S The tunnel is nearly five kilometres long and took six years to dig.
    25-31 P the picture is dark, mostly black
    32-38 S After the tunnel the weather changes: snow lies on the roofs.
    32-38 P the picture is mostly white and grey
    40-46 S We stop at Korr for half an hour, because a goat stands on the line.
    40-46 P a black sign at the top reads “KORR / ALT. 1204 M”; the picture is mostly white
    47-53 S The conductor has worked here for thirty years, and her father drove the train before her.
    54-60 S At Lake Mirren the line ends. The hotel is closed in winter, but the bakery is open.
    54-60 P a black sign at the top reads “LAKE MIRREN”; a green sign at the right reads “HOTEL CLOSED”; the picture is mostly blue
    61-66 S Most passengers stay two nights; we go back with the evening train.
    """
)

MARKET = film(
    """
    0-6 P a white sign in the centre reads “SATURDAY / AT THE MARKET”; the picture is mostly red and brown
    0.8-3 S It is six in the morning.
    3.2-6 S The square is still empty and the lamps are on.
    7-9.5 S The first stall belongs to Rosa.
    9.6-13 S She has sold cheese here since she was a girl.
    7-14 P a yellow sign at the top left reads “ROSA'S CHEESE / BRIE 6.40 / GOUDA 5.10”; a yellow circle at the bottom; the picture is mostly brown and white
    14-17 S Beside her, a young man builds a tower of oranges.
    17-20 S It falls down twice before he gets it right.
    14-20 P a orange circle in the centre; a orange circle at the left; the picture is mostly orange and green
    20-24 P a green sign at the right reads “MARKETSQUARE / LINE 4”; a green rectangle at the left; the green rectangle moves left to right; the picture is mostly grey
    21-24 S Here comes the tram with the early customers.
    25-29 S The baker is late today because his oven broke in the night.
    25-30 P a brown sign at the top reads “OLD MILL BAKERY / RYE 3.50 / PLAIN 2.90”; the picture is mostly brown
    29.3-32 S So there is no rye bread, only plain loaves.
    33-37 S By nine o'clock the square is full, and a brass band starts to play.
    33-38 P a red patch at the right; a yellow patch in the centre; the picture is mostly blue and red
    38-43 S The flower seller gives away her last roses; nobody wants to buy them in the rain.
    38-44 P a purple sign at the left reads “FLOWERS / ROSES 1.20 EACH”; the picture is mostly pink and green
    44-48 P a green sign at the right reads “MARKET SQUARE / LINE 4”; a green rectangle at the left; the green rectangle moves left to right; the picture is mostly grey
    44-47 S The tram again, this time with tourists.
    49-53 S Now Rosa has a visitor, her brother from Malta.
    49-54 P a yellow sign at the top left reads “ROSA'SCHEESE / BRIE 6.40 / GOUDA 5.10”; the picture is mostly brown and white
    53.5-57 S He says he prefers goat cheese to anything she makes, and she laughs.
    58-63 S At two the stalls close. Forty-one traders were here, nine fewer than in summer.
    58-64 P a blue sign in the centre reads “MARKET CLOSES 14:00”; the picture is mostly grey and white
    65-68 P a green sign at the right reads “MARKET SQUARE / LINE 4”; a green rectangle at the left; the green rectangle moves left to right; the picture is mostly grey
    65-70 S The last tram leaves at ten to three, not at three, so do hurry.
    70-74 S See you next Saturday.
    """
)

CASTLE = film(
    """
    0-7 P a white sign in the centre reads “FIVE ROOMS / A CASTLE TOUR”; the picture is mostly grey
    1-6 S Welcome to Castle Brannock. Our tour has five rooms and takes forty minutes.
    8-13 P a brown sign at the bottom reads “GREAT HALL / 1487”; the picture is mostly brown and black
    8-12 S We begin in the great hall, built in fourteen eighty-seven.
    12.5-16 S The long table seats sixty guests.
    17-21 S The fireplace has not been used since the war.
    22-28 P a brown sign at the bottom reads “ARMOURY / 1512”; a red rectangle at the left; the picture is mostly grey
    22-26 S Next door is the armoury. The red shield on the wall belonged to a queen.
    26.5-31 S There are two hundred swords here, but only one of them was ever used.
    32-38 P a brown sign at the bottom reads “KITCHEN / 1530”; the picture is mostly brown and orange
    32-36 S Down the stairs we come to the kitchen.
    36.5-41 S The cook worked here with eleven helpers, and a dog turned the spit.
    42-47 P a yellow sign at the right reads “NO ENTRY / WET FLOOR”; the picture is mostly grey
    42-46 S This corridor is closed, since the floor is being washed.
    48-53 P a brown sign at the bottom reads “GREATHALL / 1487”; the picture is mostly brown and black
    48-53 S So we go back through the great hall.
    54-60 P a brown sign at the bottom reads “LIBRARY / 1602”; a green patch at the right; the picture is mostly green and brown
    54-58 S In the library a cat is asleep on the oldest book in the castle.
    58.5-63 S The book is about bees. It weighs nine kilos.
    64-70 P a brown sign at the bottom reads “TOWER / 212 STEPS”; a blue circle at the top; the picture is mostly blue
    64-68 S The last room is at the top of the tower.
    68.5-72 S From the window you can see three counties, and on a clear day the sea.
    73-78 S If you liked it, there is a small shop. Everything in it is made by the gardener's sons.
    73-79 P a brown sign at the bottom reads “SHOP / OPEN 10 - 16”; a red patch at the left; the picture is mostly white and red
    """
)

CASES = [
    (ZOO, "What is the name of the lion?", ("Tomas","Bruno","Lisbon"), "B"),
    (ZOO, "Where does the lion come from?", ("Africa","Lisbon","Berlin","Kenya"), "B"),
    (ZOO, "What job did the keeper have earlier?", ("Teacher","Baker","Butcher","Farmer"), "B"),
    (ZOO, "How many times do we see the penguins?", ("1","2","3","4"), "C"),
    (ZOO, "How many times does the penguin sign appear on screen?", ("two","three","four"), "B"),
    (ZOO, "How many children are in the class?", ("12","22","32","42"), "C"),
    (ZOO, "What does a family ticket cost?", ("8 pounds","5 pounds","22 pounds","20 pounds"), "C"),
    (ZOO, "How much more does an adult pay than a child?", ("2 pounds","3 pounds","5 pounds","13 pounds"), "B"),
    (ZOO, "When are the otters fed, according to the sign?", ("10:15","12:00","14:00","16:30"), "C"),
    (ZOO, "What colour is the sign of the elephants?", ("blue","red","brown","green"), "B"),
    (ZOO, "Which animals are visited right after the otters?", ("Penguins","Elephants","Lions"), "B"),
    (ZOO, "Which animals come before the elephants?", ("Otters","Lions","Monkeys"), "A"),
    (ZOO, "Which animals are asleep?", ("Penguins","Otters","Elephants","Lions"), "B"),
    (ZOO, "Why is one penguin fed by hand?", ("It is too young","It has an injured wing","It is blind","It bites"), "B"),
    (ZOO, "What colour is the sign on screen while the narrator speaks of straw?", ("blue","red","yellow","green"), "B"),
    (ZOO, "Which of these animals is never shown?", ("Otters","Giraffes","Penguins","Lions"), "B"),
    (ZOO, "What crosses the screen while the class arrives?", ("A yellow rectangle","A red circle","A blue square"), "A"),
    (ZOO, "In which direction does the yellow shape move?", ("left to right","right to left","upwards"), "A"),
    (ZOO, "In what order are the animals visited for the first time?", ("Penguins, otters, elephants, lions","Otters, penguins, elephants, lions","Penguins, elephants, otters, lions","Lions, elephants, otters, penguins"), "A"),
    (ZOO, "Which sign warns visitors to stay away?", ("Otters","Elephants","Tickets"), "B"),
    (ZOO, "Who is the keeper?", ("Bruno","Tomas","Hillside"), "B"),
    (ZOO, "What must visitors not do at the lions?", ("Feed them","Photograph them","Wake them"), "A"),
    (TRAIN, "At what time does the train leave?", ("5:50","6:10","6:50","10:06"), "B"),
    (TRAIN, "From which platform does it leave?", ("1","2","3","6"), "B"),
    (TRAIN, "What delays the train?", ("Snow on the line","A goat","A broken bridge","A tractor"), "B"),
    (TRAIN, "How long is the tunnel?", ("five kilometres","six kilometres","two kilometres"), "A"),
    (TRAIN, "How long did it take to build the tunnel?", ("Two years","Five years","Six years","Thirty years"), "C"),
    (TRAIN, "What is sold at Alder Junction?", ("Newspapers","Chestnuts","Bread"), "B"),
    (TRAIN, "How high is Korr?", ("1024 m","1204 m","1402 m"), "B"),
    (TRAIN, "What is closed in winter?", ("The bakery","The hotel","The tunnel"), "B"),
    (TRAIN, "Which place is open at Lake Mirren?", ("The hotel","The bakery","The museum"), "B"),
    (TRAIN, "What does the green sign say?", ("Lake Mirren","Hotel closed","Korr"), "B"),
    (TRAIN, "How does the scenery change after the tunnel?", ("It is snowy","It is sunny","It is dark"), "A"),
    (TRAIN, "Which station comes last?", ("Dunmore","Korr","Alder Junction","Lake Mirren"), "D"),
    (TRAIN, "Which station is the second stop?", ("Dunmore","Korr","Alder Junction","Lake Mirren"), "C"),
    (TRAIN, "Put the stations in order.", ("Dunmore, Korr, Alder Junction, Lake Mirren","Dunmore, Alder Junction, Korr, Lake Mirren","Lake Mirren, Korr, Alder Junction, Dunmore"), "B"),
    (TRAIN, "What colour is the vehicle that crosses the field?", ("green","red","blue"), "B"),
    (TRAIN, "What is the first bridge made of?", ("wood","stone","iron","steel"), "C"),
    (TRAIN, "How many years has the conductor worked on the line?", ("6","13","30","50"), "C"),
    (TRAIN, "Which word is on the sign when the narrator mentions a goat?", ("Korr","Dunmore","Alder Junction"), "A"),
    (TRAIN, "What did the conductor's father do?", ("He drove the train","He sold chestnuts","He dug the tunnel"), "A"),
    (TRAIN, "Is the bakery open?", ("Yes","No"), "A"),
    (TRAIN, "Is the hotel open in winter?", ("Yes","No"), "B"),
    (TRAIN, "What is said when the picture is dark?", ("The tunnel is five kilometres long","Snow lies on the roofs","A tractor crosses the field"), "A"),
    (MARKET, "What does Rosa sell?", ("Bread","Cheese","Flowers","Oranges"), "B"),
    (MARKET, "What does the young man build?", ("A tower of oranges","A wall of boxes","A tent"), "A"),
    (MARKET, "How often does the tower of oranges collapse?", ("Once","Twice","Three times"), "B"),
    (MARKET, "Why is the baker late?", ("His van broke down","He overslept","His oven broke","It rained"), "C"),
    (MARKET, "Which bread is not available today?", ("Plain bread","Rye bread","Both"), "B"),
    (MARKET, "How many times does the tram pass?", ("1","2","3","4"), "C"),
    (MARKET, "How many times is Rosa's stall shown?", ("1","2","3"), "B"),
    (MARKET, "Which is the most expensive item on the signs?", ("Brie","Gouda","Rye","A rose"), "A"),
    (MARKET, "Which of these is the cheapest?", ("Gouda","Rye bread","Plain bread","A rose"), "D"),
    (MARKET, "When does the market close, according to the sign?", ("12:00","13:00","14:00","15:00"), "C"),
    (MARKET, "When does the last tram leave?", ("2:50","3:00","3:10","2:10"), "A"),
    (MARKET, "How many traders were at the market?", ("9","32","41","50"), "C"),
    (MARKET, "Where does Rosa's brother come from?", ("Malta","Corsica","Sicily"), "A"),
    (MARKET, "Which cheese does the brother like best?", ("Brie","Gouda","Goat cheese"), "C"),
    (MARKET, "What colour is the tram?", ("red","green","blue","yellow"), "B"),
    (MARKET, "What colour is the sign at the flower stall?", ("purple","brown","yellow"), "A"),
    (MARKET, "Which tram line is shown on the sign?", ("2","4","14"), "B"),
    (MARKET, "What does the flower seller do with her roses?", ("She sells them","She gives them away","She throws them into the river"), "B"),
    (MARKET, "In what order do we see these stalls?", ("cheese, oranges, bakery, flowers","oranges, cheese, bakery, flowers","cheese, bakery, oranges, flowers","flowers, bakery, oranges, cheese"), "A"),
    (MARKET, "Who comes to see Rosa?", ("Her sister","Her brother","Her daughter","A tourist"), "B"),
    (MARKET, "What is shown right before the brass band starts?", ("The bakery","The flowers","The cheese stall"), "A"),
    (MARKET, "What comes directly after the bakery?", ("The brass band","The tram","The flower seller"), "A"),
    (MARKET, "Who does the tram bring the second time?", ("Early customers","Tourists","Musicians"), "B"),
    (MARKET, "How much does Gouda cost?", ("6.40","5.10","3.50","2.90"), "B"),
    (MARKET, "How much more does Brie cost than Gouda?", ("1.30","1.10","2.40","0.60"), "A"),
    (MARKET, "Which of these stalls does not appear in the film?", ("Cheese","Fish","Flowers","Bread"), "B"),
    (MARKET, "What time of day does the film begin?", ("Early morning","Noon","Evening"), "A"),
    (MARKET, "Which sign is visible while the narrator explains the baker's delay?", ("Old Mill Bakery","Rosa's Cheese","Market Square"), "A"),
    (MARKET, "What is true about the oranges?", ("They are sold out","They fall down","They are given away"), "B"),
    (MARKET, "What happens at nine o'clock?", ("The market closes","A band begins to play","The tram arrives"), "B"),
    (MARKET, "Is there rye bread today?", ("Yes","No"), "B"),
    (MARKET, "Does the market close at three?", ("Yes","No"), "B"),
    (MARKET, "Which vehicle crosses the picture?", ("A tram","A bus","A car"), "A"),
    (MARKET, "What colour is the rectangle that crosses the picture?", ("green","red"), "A"),
    (MARKET, "What price is given for rye bread on the sign?", ("2.90","3.50","6.40"), "B"),
    (MARKET, "What is the name of the bakery?", ("Old Mill","New Mill","Market Square"), "A"),
    (MARKET, "Who is the first stallholder?", ("Rosa","The baker","The flower seller"), "A"),
    (MARKET, "Which place is shown last?", ("The bakery","The tram stop","The flower stall"), "B"),
    (CASTLE, "How many rooms does the tour have?", ("4","5","6","7"), "B"),
    (CASTLE, "How long does the tour take?", ("20 minutes","30 minutes","40 minutes","60 minutes"), "C"),
    (CASTLE, "In which year was the armoury built, according to its sign?", ("1487","1512","1530","1602"), "B"),
    (CASTLE, "Which room is the oldest?", ("Library","Kitchen","Great hall","Armoury"), "C"),
    (CASTLE, "Which room is the newest, going by the signs?", ("Library","Kitchen","Great hall","Armoury"), "A"),
    (CASTLE, "How many guests can sit at the table?", ("11","40","60","200"), "C"),
    (CASTLE, "What colour was the queen's shield?", ("red","blue","green","gold"), "A"),
    (CASTLE, "How many swords are in the armoury?", ("20","100","200","212"), "C"),
    (CASTLE, "What turned the spit in the kitchen?", ("A dog","A helper","A wheel","The cook"), "A"),
    (CASTLE, "Why is the corridor closed?", ("The ceiling is falling down","The floor is being cleaned","It is being painted"), "B"),
    (CASTLE, "How many times is the great hall shown?", ("1","2","3","4"), "B"),
    (CASTLE, "How often do we pass through the great hall?", ("once","twice","three times"), "B"),
    (CASTLE, "What is asleep in the library?", ("A dog","A cat","A bird"), "B"),
    (CASTLE, "How heavy is the old book?", ("Two kilos","Five kilos","Nine kilos","Eleven kilos"), "C"),
    (CASTLE, "How many steps lead up the tower?", ("112","121","202","212"), "D"),
    (CASTLE, "What can be seen from the tower on a clear day?", ("The mountains","The sea","The city","The river"), "B"),
    (CASTLE, "Who makes the things in the shop?", ("The gardener's sons","The cook","The queen","Eleven helpers"), "A"),
    (CASTLE, "In what order are these rooms visited?", ("Armoury, kitchen, library, tower","Kitchen, armoury, library, tower","Library, armoury, kitchen, tower","Tower, library, kitchen, armoury"), "A"),
    (CASTLE, "Which room comes directly after the armoury?", ("The library","The kitchen","The tower"), "B"),
    (CASTLE, "Which room do they enter just before the library?", ("The great hall","The armoury","The tower"), "A"),
    (CASTLE, "What does the yellow sign warn of?", ("A low ceiling","A wet floor","A dog","Steep stairs"), "B"),
    (CASTLE, "What was never used again after the war?", ("The fireplace","The kitchen","The table"), "A"),
    (CASTLE, "What colour are the walls on screen while the cat is mentioned?", ("green","red","blue"), "A"),
    (CASTLE, "When does the shop close?", ("at 4 p.m.","at 5 p.m.","at 6 p.m."), "A"),
    (CASTLE, "Which animal is not in the film?", ("A dog","A cat","A horse"), "C"),
    (CASTLE, "What belonged to a queen?", ("A sword","A shield","A book","A table"), "B"),
    (CASTLE, "Where is the last room?", ("In the cellar","At the top of the tower","Behind the shop"), "B"),
    (CASTLE, "How many helpers did the cook have?", ("2","9","11","60"), "C"),
    (CASTLE, "How many of the swords were used in battle?", ("none","one","two","all"), "B"),
    (CASTLE, "What is the castle called?", ("Brannock","Armoury","Tower"), "A"),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "text", "choices", "gold"), CASES, ids=[c[1][:60] for c in CASES])
def test_choice(facts: list[Fact], text: str, choices: tuple[str, ...], gold: str) -> None:
    verdict = weigh(ask(text, *choices), facts)
    assert verdict.label == gold, verdict
